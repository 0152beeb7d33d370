//! The page around the sections: one file that loads nothing from anywhere, in the reader's choice of light or dark, on
//! a phone or on paper.

use crate::escaped;
use std::fmt::Write;

/// The page's additions to the style sheet of pictures. The colours of maps are a scale from dark blue to yellow whose
/// lightness rises evenly, so that a map can be read without colour too.
const STYLE: &str = include_str!("page.css");

pub fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{title}</title>\n<style>\n{}{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        crate::STYLE
    )
}

pub fn section(id: &str, heading: &str, body: &str) -> String {
    format!("<section id=\"{id}\">\n<h2>{}</h2>\n{body}</section>\n", escaped(heading))
}

pub fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escaped(text))
}

pub fn preformatted(text: &str) -> String {
    format!("<pre>{}</pre>\n", escaped(text))
}

/// A picture with words below it.
pub fn figure(svg: &str, caption: &str) -> String {
    format!("<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>\n", escaped(caption))
}

/// Pictures side by side if there is room.
pub fn side_by_side(figures: &str) -> String {
    format!("<div class=\"row\">\n{figures}</div>\n")
}

/// Lists that are not torn apart on paper, in two columns there unless their lines are long.
pub fn lists(body: &str, are_long: bool) -> String {
    let class = if are_long { "lists" } else { "lists short" };
    format!("<div class=\"{class}\">\n{body}</div>\n")
}

/// Content shown on demand, and always on paper.
pub fn on_demand(summary: &str, body: &str) -> String {
    details("", summary, body)
}

/// Content shown on demand, and not on paper, which it would fill.
pub fn on_screen(summary: &str, body: &str) -> String {
    details(" class=\"screen\"", summary, body)
}

fn details(class: &str, summary: &str, body: &str) -> String {
    format!("<details{class}>\n<summary>{}</summary>\n{body}</details>\n", escaped(summary))
}

/// A table: its head, and rows of as many cells. The first cell of a row names it; columns that
/// begin with a number are set like numbers.
pub fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    let is_number = |column: usize| {
        let cell = rows.first().and_then(|row| row.get(column));
        cell.is_none_or(|cell| !cell.contains(' ') && !cell.contains(char::is_alphabetic))
    };
    let class = |column: usize| if column > 0 && is_number(column) { " class=\"n\"" } else { "" };
    let mut html = String::from("<div class=\"scroll\"><table>\n<thead><tr>");
    for (column, cell) in head.iter().enumerate() {
        let _ = write!(html, "<th scope=\"col\"{}>{}</th>", class(column), escaped(cell));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in &rows {
        html.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let cell = escaped(cell);
            let _ = if column == 0 {
                write!(html, "<th scope=\"row\">{cell}</th>")
            } else {
                write!(html, "<td{}>{cell}</td>", class(column))
            };
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table></div>\n");
    html
}
