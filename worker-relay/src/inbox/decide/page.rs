//! Which rows go into one answer, or out on one socket.

use super::usage::Usage;

/// A row by its number and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The row id.
    pub id: u64,
    /// Bytes on the wire.
    pub size: u64,
}

/// The head of a list of rows that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The last row taken.
    pub through: Option<u64>,
    /// How many were taken.
    pub taken: usize,
    /// Some were left.
    pub more: bool,
}

/// Takes rows, in order, while they fit beside what is already out.
///
/// The first row is taken whatever its size if nothing is out, so that no limit can stop the queue for good.
#[must_use]
pub fn take(rows: &[Row], out: Usage, max_rows: u64, max_bytes: u64) -> Page {
    let mut usage = out;
    let mut page = Page { through: None, taken: 0, more: false };
    for row in rows {
        let next = usage.plus(row.size);
        if next.rows > 1 && !next.fits(max_rows, max_bytes) {
            page.more = true;
            break;
        }
        usage = next;
        page.through = Some(row.id);
        page.taken += 1;
    }
    page
}

/// The `since` of a query: anything that is no whole number up to 10^12 counts as 0, as in the draft.
#[must_use]
pub fn since(text: Option<&str>) -> u64 {
    text.and_then(|text| text.trim().parse().ok()).filter(|n| *n <= 1_000_000_000_000).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(sizes: &[u64]) -> Vec<Row> {
        sizes.iter().zip(1..).map(|(size, id)| Row { id, size: *size }).collect()
    }

    #[test]
    fn rows_up_to_the_cap() {
        for (count, taken, more) in [(2, 2, false), (3, 3, false), (4, 3, true)] {
            let page = take(&rows(&vec![1; count]), Usage::default(), 3, 100);
            assert_eq!((page.taken, page.more, page.through), (taken, more, Some(taken as u64)));
        }
    }

    #[test]
    fn bytes_up_to_the_cap() {
        for (last, taken) in [(39, 2), (40, 2), (41, 1)] {
            assert_eq!(take(&rows(&[60, last]), Usage::default(), 10, 100).taken, taken);
        }
    }

    #[test]
    fn one_row_always_goes_out_alone_and_what_is_out_counts() {
        assert_eq!(take(&rows(&[500]), Usage::default(), 1, 100).taken, 1);
        assert_eq!(take(&rows(&[500]), Usage { rows: 1, bytes: 1 }, 10, 100).taken, 0);
        assert_eq!(take(&rows(&[1, 1]), Usage { rows: 2, bytes: 2 }, 3, 100).taken, 1);
        assert_eq!(take(&[], Usage::default(), 3, 100), Page { through: None, taken: 0, more: false });
    }

    #[test]
    fn since_as_in_the_draft() {
        for (text, expected) in [
            (None, 0),
            (Some(""), 0),
            (Some("x"), 0),
            (Some("-1"), 0),
            (Some("1.5"), 0),
            (Some("7"), 7),
            (Some("1000000000000"), 1_000_000_000_000),
            (Some("1000000000001"), 0),
            (Some("99999999999999999999999"), 0),
        ] {
            assert_eq!(since(text), expected, "{text:?}");
        }
    }
}
