"""How the files of a run are examined by other processes, here and on other machines."""
