//! A text table whose last column takes what room is left.

use std::{borrow::Cow, fmt::Write as _};

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::Paint;

/// Between two columns.
const GAP: &str = "  ";
/// No column is cut shorter than this.
const LEAST: usize = 12;

/// Lays out `rows` below `head`. With a `width` the last column is cut to fit, and if that is not
/// enough the first; without one nothing is cut. Trailing blanks are never written.
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
    let mut widths: Vec<usize> = (0..columns).map(widest).collect();
    if let Some(width) = width {
        let others = |widths: &[usize], at: usize| {
            widths.iter().sum::<usize>() - widths[at] + GAP.len() * (columns - 1)
        };
        for column in [columns - 1, 0] {
            let room = width.saturating_sub(others(&widths, column)).max(LEAST);
            widths[column] = widths[column].min(room);
        }
    }

    let mut out = String::new();
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    writeln!(out, "{}", paint.dim(line(&head, &widths))).ok();
    for row in rows {
        writeln!(out, "{}", line(row, &widths)).ok();
    }
    out
}

fn line(row: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, width) in row.iter().zip(widths) {
        let cell = cut(cell, *width);
        line.push_str(&cell);
        let pad = width.saturating_sub(cell.width()) + GAP.len();
        line.extend(std::iter::repeat_n(' ', pad));
    }
    line.truncate(line.trim_end().len());
    line
}

/// `text` in at most `width` columns, with `…` where it was cut.
fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let kept = text.chars().take_while(|c| {
        used += c.width().unwrap_or(0);
        used <= width
    });
    let mut kept: String = kept.collect();
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    Cow::Owned(kept)
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

    #[test]
    fn the_first_column_is_cut_when_the_last_cannot_make_enough_room() {
        let rows = vec![vec!["a-very-long-name-of-an-agent".to_owned(), "x".repeat(40)]];
        let text = table(&["N", "D"], &rows, Some(30), Paint::Plain);
        assert_eq!(text.lines().last(), Some("a-very-long-nam…  xxxxxxxxxxx…"));
        let whole = table(&["N", "D"], &rows, None, Paint::Plain);
        assert!(whole.contains("a-very-long-name-of-an-agent  xxxx") && !whole.contains('…'));
    }
}
