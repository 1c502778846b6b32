"""`python -m dalembert`: the same as the command `dalembert`."""

from .cli.main import main

if __name__ == "__main__":
    main()
