"""What WEB's chapter 4 says in tables and sentences."""

from typing import Final

from roost.lab.scripts.measuring import SAMPLE_SIZES

#: Table 4.5, MFLOPS by sample size.
WEBWORKER: Final = dict(zip(SAMPLE_SIZES, (2.66, 12.12, 19.24, 35.62, 39.53, 43.23, 44.68, 46.15, 46.49), strict=True))
WEBCL: Final = dict(zip(SAMPLE_SIZES, (1.20, 5.73, 10.14, 54.9, 73.33, 166.12, 186.76, 209.71, 211.36), strict=True))
#: 4.5.3: above this sample size the start is small, which "translates" to a job of so many seconds.
NEGLIGIBLE_SIZE: Final = 100_000_000
NEGLIGIBLE_S: Final = 40.0

#: 4.5.4, figures 4.6 to 4.9, in MFLOPS.
CHROME: Final = 125.0
FIREFOX: Final = 45.0
FIREFOX_TWO_TABS: Final = 80.0
WEBCL_FLOPS: Final = 145.0
WEBCL_PI: Final = 75.0

#: Tables 4.1 and 4.3: operations and random numbers a second.
ARITHMETIC_JS: Final = 3.5e6
ARITHMETIC_C: Final = 73.2e6
RANDOM_JS: Final = 408_948.0
RANDOM_C: Final = 7_740_400.0

#: Table 4.2: what is searched for, and by how much JavaScript is faster than C.
REGULAR_EXPRESSIONS: Final = (("xx*", 8.8), ("this | that", 4.3), ("[1-5] [1-5]", 5.2), ("a plain match", 9.2))
#: Table 4.4: WebCL against OpenCL.
WEBCL_TO_OPENCL: Final = 0.95

#: 4.5.5, figures 4.10 to 4.12.
SARA_WORKERS: Final = 72
SARA_ONE: Final = 170e6
SARA_ONE_HIGHEST: Final = 190e6
SARA_PEAK: Final = 15e9
SARA_AVERAGE: Final = 7e9
SARA_EACH: Final = 80e6
SARA_THEORETICAL: Final = 5.6e9
SARA_ATTAINED: Final = 4.5e9
SARA_SHARE: Final = 0.80
JOBS: Final = 1000
JOB_S: Final = 47.0
PERIOD_S: Final = 5.0
JOB_SAMPLES: Final = 1_000_000_000
