//! The Worker's variables and secrets, read once.

use std::rc::Rc;

use sha2::{Digest as _, Sha256};
use worker::{Env, console_error};

use crate::limits::Limits;
use crate::problem::Problem;

/// Shorter secrets can be guessed.
const SECRET_CHARS: usize = 32;

/// What the operator chose.
pub(crate) struct Config {
    pub(crate) limits: Limits,
    /// The key of all challenges. Without it nothing that needs a challenge works.
    pub(crate) challenge_key: Option<[u8; 32]>,
    /// The names under which clients reach this relay. Empty: whatever the request says, which is
    /// right where the platform routes by host name, and wrong where anyone can send any `Host`.
    pub(crate) hosts: Vec<String>,
    /// A closed relay registers only agents that carry this token.
    pub(crate) registration: Option<String>,
    /// Window of the brakes, seconds.
    pub(crate) brake_period_s: u32,
    /// The two numbers of the health answer, where set.
    pub(crate) artifact_quota_bytes: Option<u64>,
    pub(crate) artifact_retention_ms: Option<u64>,
}

thread_local! {
    static CONFIG: std::cell::OnceCell<Option<Rc<Config>>> = const { std::cell::OnceCell::new() };
}

impl Config {
    /// The configuration of this isolate.
    pub(crate) fn of(env: &Env) -> Result<Rc<Self>, Problem> {
        CONFIG.with(|cell| cell.get_or_init(|| Self::read(env).map(Rc::new)).clone()).ok_or(Problem::MISCONFIGURED)
    }

    fn read(env: &Env) -> Option<Self> {
        let text = |name: &str| env.var(name).ok().map(|value| value.to_string()).filter(|text| !text.is_empty());
        let limits = match Limits::from_variables(text) {
            Ok(limits) => limits,
            Err(bad) => {
                console_error!("the variable {} is not a whole number", bad.0);
                return None;
            }
        };
        let challenge_key = text("CHALLENGE_KEY").filter(|key| key.len() >= SECRET_CHARS).map(|key| {
            Sha256::new().chain_update(b"agentpair-challenge-key-v1\0").chain_update(key.as_bytes()).finalize().into()
        });
        if challenge_key.is_none() {
            console_error!("the secret CHALLENGE_KEY is missing or shorter than {SECRET_CHARS} characters");
        }
        let hosts = text("RELAY_HOSTS").unwrap_or_default();
        Some(Self {
            challenge_key,
            hosts: hosts.split(',').map(str::trim).filter(|host| !host.is_empty()).map(str::to_owned).collect(),
            registration: text("RELAY_REGISTRATION"),
            brake_period_s: text("RATE_LIMIT_PERIOD_S").and_then(|text| text.parse().ok()).unwrap_or(60),
            artifact_quota_bytes: text("ARTIFACT_QUOTA_BYTES").map(|_| limits.artifact_quota_bytes),
            artifact_retention_ms: text("ARTIFACT_RETENTION_MS").map(|_| limits.artifact_retention_ms),
            limits,
        })
    }
}
