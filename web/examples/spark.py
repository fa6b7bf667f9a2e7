# spark.py - translates the lines of a text with Spark: each partition goes through `heed translate`, a filter of lines.
# Part files in their order are the lines in their order. A partition whose executor is lost is translated again.
#
#   spark-submit spark.py SOURCE TARGET PARTITIONS "heed translate --from en --to de"
import sys

from pyspark import SparkContext

source, target, partitions, command = sys.argv[1:]
with SparkContext(appName="heed") as context:
    lines = context.textFile(source, minPartitions=int(partitions))
    # checkCode: a command that fails is a task that fails, which Spark repeats
    lines.pipe(command, checkCode=True).saveAsTextFile(target)
