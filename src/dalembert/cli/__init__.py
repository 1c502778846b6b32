"""The command line `dalembert`.

table.py    names of the commands, where they live, and what the list of commands says about them
main.py     finds and starts commands; errors and exit codes
run.py …    one command per file, each an object `command`
shared/     what several commands need: the model file with its overrides, reports, output folders

Nothing heavy is imported before a command runs: `dalembert --help` is printed from the table alone.
"""
