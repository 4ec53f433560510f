//! The runtime's clock and its alarms.

use worker::js_sys::Date;
use worker::wasm_bindgen::JsValue;

use crate::clock::Now;

/// The runtime's time. It stands still while a handler computes.
pub(crate) fn now() -> Now {
    Now { ms: worker::Date::now().as_millis() }
}

/// A moment as the alarm takes it.
pub(crate) fn alarm_time(ms: u64) -> worker::ScheduledTime {
    worker::ScheduledTime::new(Date::new(&JsValue::from_f64(ms as f64)))
}
