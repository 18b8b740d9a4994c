"""What a page may do: load from its own origin, and run no script or style but the viewer's files."""

PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"
)
"For every page, also inside it, where no server sends headers. Plotly makes the picture of a chart through a blob."
SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
"For files of a recording: a drawing that is opened by itself can run nothing."
HEADERS = {
    "Content-Security-Policy": PAGE + "; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"With every answer, where it has none of its own."
