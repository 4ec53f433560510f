#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agentpair_fuzz_cases::pairing(data));
