"""The same problems in other packages; importing a module whose package is not installed is an ImportError."""
