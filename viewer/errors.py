"""What can go wrong while showing, in sentences for the person at the terminal or the reader of a page."""


class ViewerError(Exception):
    """Base of all errors the viewer raises on purpose. Its text names the thing and the next action."""


class UsageError(ViewerError):
    """What was asked for cannot be done as asked; exit code 2."""


class NotListed(ViewerError):
    """A page or file that is not there to be shown; a server answers 404."""
