//! A text table whose last column takes what room is left.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::Paint;

/// Between two columns.
const GAP: &str = "  ";
/// The last column is never cut shorter than this.
const LEAST: usize = 20;

/// Lays out `rows` below `head`. With a `width` the last column is cut to fit, without one it is
/// left whole. Trailing blanks are never written.
pub(super) fn table(
    head: &[&str],
    rows: &[Vec<String>],
    width: Option<usize>,
    paint: Paint,
) -> String {
    let columns = head.len();
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        cells.chain([head[column].width()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(widest).collect();
    let taken: usize = widths[..columns - 1].iter().map(|width| width + GAP.len()).sum();
    let last = width.map(|width| width.saturating_sub(taken).max(LEAST));

    let mut out = String::new();
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    writeln!(out, "{}", paint.dim(line(&head, &widths, last))).ok();
    for row in rows {
        writeln!(out, "{}", line(row, &widths, last)).ok();
    }
    out
}

fn line(row: &[String], widths: &[usize], last: Option<usize>) -> String {
    let mut line = String::new();
    for (column, cell) in row.iter().enumerate() {
        if column + 1 == widths.len() {
            line.push_str(&cut(cell, last));
        } else {
            line.push_str(cell);
            let pad = widths[column].saturating_sub(cell.width());
            line.extend(std::iter::repeat_n(' ', pad));
            line.push_str(GAP);
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// `text` in at most `width` columns, with `…` where it was cut.
fn cut(text: &str, width: Option<usize>) -> String {
    let Some(width) = width.filter(|width| text.width() > *width) else { return text.to_owned() };
    let mut used = 1;
    let kept = text.chars().take_while(|c| {
        used += c.width().unwrap_or(0);
        used <= width
    });
    let mut kept: String = kept.collect();
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_column_is_cut_to_the_width_and_wide_characters_count_twice() {
        let rows = vec![vec!["a".to_owned(), "日本語の説明文がここに入ります".to_owned()]];
        let text = table(&["N", "D"], &rows, Some(24), Paint::Plain);
        assert_eq!(text, "N  D\na  日本語の説明文がここ…\n");
        assert!(text.lines().all(|line| line.width() <= 24));
    }
}
