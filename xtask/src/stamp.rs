//! Tells whether the outputs already belong to these inputs.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};

/// A digest of a build's inputs, and the file that keeps the one of the last build.
pub(crate) struct Stamp {
    file: PathBuf,
    digest: String,
}

impl Stamp {
    /// Takes the compiled module, the options, and this program itself as inputs.
    pub(crate) fn new(file: PathBuf, module: &Path, optimize: bool) -> Result<Self> {
        // Freshness only, nothing to defend against: the hasher of std will do.
        let mut hasher = DefaultHasher::new();
        hasher.write(&fs::read(module).with_context(|| format!("no {}", module.display()))?);
        hasher.write_u8(u8::from(optimize));
        let built = fs::metadata(std::env::current_exe()?)?.modified()?;
        hasher.write_u128(built.duration_since(UNIX_EPOCH)?.as_nanos());
        let digest = format!("{:016x}", hasher.finish());
        Ok(Self { file, digest })
    }

    /// Whether the last build had the same inputs and its `outputs` are still there.
    pub(crate) fn is_fresh(&self, outputs: &[PathBuf]) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|last| last == self.digest)
            && outputs.iter().all(|output| output.exists())
    }

    /// Remembers this build; call it when all outputs are written.
    pub(crate) fn save(&self) -> Result<()> {
        fs::write(&self.file, &self.digest)?;
        Ok(())
    }
}
