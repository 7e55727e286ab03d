"""Print a flight's length in some unit. Usage: convert.py FLIGHT_AS_JSON UNIT FACTOR"""

import json
import sys


def main() -> None:
    flight, unit, factor = json.loads(sys.argv[1]), sys.argv[2], float(sys.argv[3])
    print(f"{flight['metres'] * factor:.1f} {unit} at {flight['angle']} degrees in {flight['air']} air")


if __name__ == "__main__":
    main()
