//! The texts that carry envelopes. The stored bytes go in as they are: they were signed so, and were
//! checked to be JSON before they were stored.

/// An envelope with its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The row id.
    pub row_id: u64,
    /// The envelope as it came.
    pub wire: Vec<u8>,
}

/// What a pull says beside the envelopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary<'a> {
    /// The last row returned, else the reader's own `since`.
    pub cursor: u64,
    /// Waiting rows that the reader's filter left out.
    pub filtered: u64,
    /// There are more rows.
    pub more: bool,
    /// Names this inbox's data: another value means that the row ids have started anew.
    pub epoch: Option<&'a str>,
}

/// The answer to a pull.
#[must_use]
pub fn pull(rows: &[Stored], summary: &Summary<'_>) -> Vec<u8> {
    let mut text = Vec::with_capacity(rows.iter().map(|row| row.wire.len() + 32).sum::<usize>() + 160);
    text.extend_from_slice(b"{\"envelopes\":[");
    join(&mut text, rows, |text, row| text.extend_from_slice(&row.wire));
    text.extend_from_slice(b"],\"rowids\":[");
    join(&mut text, rows, |text, row| text.extend_from_slice(row.row_id.to_string().as_bytes()));
    let Summary { cursor, filtered, more, epoch } = summary;
    let rest = format!("],\"cursor\":{cursor},\"filtered_count\":{filtered},\"more\":{more}");
    text.extend_from_slice(rest.as_bytes());
    if let Some(epoch) = epoch {
        text.extend_from_slice(format!(",\"epoch\":\"{epoch}\"").as_bytes());
    }
    text.push(b'}');
    text
}

fn join(text: &mut Vec<u8>, rows: &[Stored], mut write: impl FnMut(&mut Vec<u8>, &Stored)) {
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            text.push(b',');
        }
        write(text, row);
    }
}

/// One frame of the live stream. `None` if the stored bytes are no UTF-8, which no envelope is.
#[must_use]
pub fn live_frame(row: &Stored) -> Option<String> {
    let wire = std::str::from_utf8(&row.wire).ok()?;
    Some(format!("{{\"rowid\":{},\"envelope\":{wire}}}", row.row_id))
}

/// The first frame of the live stream.
#[must_use]
pub fn epoch_frame(epoch: &str) -> String {
    format!("{{\"epoch\":\"{epoch}\"}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(row_id: u64, wire: &str) -> Stored {
        Stored { row_id, wire: wire.as_bytes().to_vec() }
    }

    #[test]
    fn envelopes_are_embedded_byte_for_byte() {
        let rows = [stored(3, "{\"b\": 1}"), stored(9, "{\"a\":\"\\u0041\"}")];
        let summary = Summary { cursor: 9, filtered: 2, more: true, epoch: Some("00") };
        let text = String::from_utf8(pull(&rows, &summary)).unwrap();
        assert_eq!(
            text,
            "{\"envelopes\":[{\"b\": 1},{\"a\":\"\\u0041\"}],\"rowids\":[3,9],\"cursor\":9,\
             \"filtered_count\":2,\"more\":true,\"epoch\":\"00\"}"
        );
        assert_eq!(live_frame(&rows[0]).as_deref(), Some("{\"rowid\":3,\"envelope\":{\"b\": 1}}"));
    }

    #[test]
    fn an_empty_inbox_is_still_json() {
        let summary = Summary { cursor: 0, filtered: 0, more: false, epoch: None };
        let text: serde_json::Value = serde_json::from_slice(&pull(&[], &summary)).unwrap();
        let expected =
            serde_json::json!({"envelopes": [], "rowids": [], "cursor": 0, "filtered_count": 0, "more": false});
        assert_eq!(text, expected);
    }
}
