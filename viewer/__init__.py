"""Shows recordings of lectures: as a web server on this machine, or as a folder of files for any host."""
