//! The word list of spoken codes: EFF short list 2 (CC-BY 3.0 US, Electronic Frontier Foundation),
//! 1,296 words with distinct first three letters; its one word with a dash is replaced by `yonder`.

use std::sync::LazyLock;

static WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| include_str!("words.txt").lines().collect());

/// Number of words.
pub const COUNT: usize = 1_296;

/// The list, in alphabetical order.
#[must_use]
pub fn all() -> &'static [&'static str] {
    &WORDS
}

/// Whether the list holds the word.
#[must_use]
pub fn contains(word: &str) -> bool {
    WORDS.binary_search(&word).is_ok()
}

/// The word of the list with the smallest edit distance.
#[must_use]
pub fn nearest(word: &str) -> &'static str {
    WORDS.iter().copied().min_by_key(|known| strsim::damerau_levenshtein(known, word)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_plain_and_distinct_in_three_letters() {
        assert_eq!(all().len(), COUNT);
        assert!(all().is_sorted());
        assert!(all().iter().all(|w| w.len() >= 3 && w.bytes().all(|b| b.is_ascii_lowercase())));
        assert!(all().windows(2).all(|pair| pair[0][..3] != pair[1][..3]));
    }

    #[test]
    fn typos_find_their_word() {
        assert!(contains("yonder") && !contains("yo-yo"));
        assert_eq!(nearest("aardvrak"), "aardvark");
        assert_eq!(nearest("zuchini"), "zucchini");
    }
}
