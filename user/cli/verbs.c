#include "cli/verbs.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

const struct verb verbs[] = {
	{
		.id = VERB_MAIN,
		.synopsis = "[OPTIONS] -- COMMAND [ARG...]",
		.summary = "record, then report: why is the first request slow?",
		.description =
			"Starts COMMAND unmodified with probes in place, records it from exec through its first "
			"request and the warm ones after it, ends it, and says where the first request's time went.",
		.operands = OPERANDS_COMMAND,
		.run = verb_main,
		.examples = {"sudo warmtrace -r http://127.0.0.1:8080/api/owners -- java -jar app.jar",
			     "sudo warmtrace --requests 2 --fail-if 'first_request > 300ms' -- ./start-server.sh",
			     "sudo warmtrace --format html --report build.html -- javac -d classes Main.java"},
	},
	{
		.id = VERB_RECORD,
		.name = "record",
		.synopsis = "record [OPTIONS] -- COMMAND [ARG...]",
		.summary = "record only",
		.description = "As the main form, without the report: 'warmtrace report' makes it from the "
			       "recording, on any "
			       "machine and as any user.",
		.operands = OPERANDS_COMMAND,
		.run = verb_record,
		.examples = {"sudo warmtrace record -o cold.wtr -r http://127.0.0.1:8080/ -- java -jar app.jar",
			     "sudo warmtrace record --load 'k6 run load.js' -- java -jar app.jar",
			     "sudo warmtrace record -r http://127.0.0.1:8080/items -X POST -H 'Content-Type: "
			     "application/json' "
			     "-d @item.json -- ./server"},
	},
	{
		.id = VERB_ATTACH,
		.name = "attach",
		.synopsis = "attach [OPTIONS] -p PID",
		.summary = "a running process, before its first request",
		.description =
			"Traces a process that runs already, or the next one of a name, until the requests are done "
			"or "
			"Ctrl-C. What happened before is not in the recording. The process is never signalled.",
		.operands = OPERANDS_NONE,
		.run = verb_attach,
		.examples = {"sudo warmtrace attach -p 4711 -r http://127.0.0.1:8080/api/owners",
			     "sudo warmtrace attach --wait-for java --requests 5",
			     "sudo warmtrace attach -o service.wtr -p \"$(systemctl show -P MainPID app)\""},
	},
	{
		.id = VERB_REPORT,
		.name = "report",
		.synopsis = "report [OPTIONS] FILE.wtr",
		.summary = "everything about one run",
		.description =
			"Reads a recording and reports all of it: the answer, phases, causes, requests, findings, "
			"exceptions, classes, jars, files, page faults, threads, memory.",
		.operands = OPERANDS_FILE,
		.run = verb_report,
		.examples = {"warmtrace report warmtrace.wtr",
			     "warmtrace report --format json warmtrace.wtr | jq .cold_vs_warm",
			     "warmtrace report --format html --report report.html warmtrace.wtr"},
	},
	{
		.id = VERB_COMPARE,
		.name = "compare",
		.synopsis = "compare [OPTIONS] A.wtr... --vs B.wtr...",
		.summary = "two sets of runs, cause by cause; A is the baseline",
		.description =
			"Compares recordings made at any time: what the first request costs in each set, whether the "
			"difference is more than chance, and which causes make it.",
		.operands = OPERANDS_FILES,
		.run = verb_compare,
		.examples = {"warmtrace compare before.wtr --vs after.wtr",
			     "warmtrace compare --name jdk17,jdk25 a1.wtr a2.wtr a3.wtr --vs b1.wtr b2.wtr b3.wtr",
			     "warmtrace compare main/*.wtr --vs branch/*.wtr --fail-if 'first_request.median > +5%'"},
	},
	{
		.id = VERB_BENCH,
		.name = "bench",
		.synopsis = "bench [OPTIONS] --scenario NAME='COMMAND'...",
		.summary = "scenarios run interleaved and compared",
		.description = "Records each scenario several times, in a shuffled order so that the machine's drift "
			       "falls on "
			       "all of them alike, and compares them as 'warmtrace compare' does.",
		.operands = OPERANDS_NONE,
		.run = verb_bench,
		.examples =
			{"sudo warmtrace bench -r http://127.0.0.1:8080/ --scenario jar='java -jar app.jar' "
			 "--scenario extracted='java -jar app/app.jar'",
			 "sudo warmtrace bench --runs 20 --seed 1 --work runs -r http://127.0.0.1:8080/ "
			 "--scenario a=./a --scenario b=./b",
			 "sudo warmtrace bench -r http://127.0.0.1:8080/ --scenario old=./old --scenario new=./new "
			 "--fail-if 'first_request.median > +5%'"},
	},
	{
		.id = VERB_AOT,
		.name = "aot",
		.synopsis = "aot [OPTIONS] -- java [ARG...]",
		.summary = "bench before and after an AOT cache (or AppCDS archive), training included",
		.description = "Makes the cache by a training run, then records and compares the command with and "
			       "without it: what "
			       "it saves, what it does not, and whether the JVM used it at all.",
		.operands = OPERANDS_COMMAND,
		.run = verb_aot,
		.examples = {"sudo warmtrace aot -r http://127.0.0.1:8080/api/owners -- java -jar app.jar",
			     "sudo warmtrace aot --runs 10 --gc g1,zgc --layout fat,extracted -r "
			     "http://127.0.0.1:8080/ -- java "
			     "-jar app.jar",
			     "sudo warmtrace aot --require-aot --train './train.sh' -r http://127.0.0.1:8080/ -- "
			     "java -jar app.jar"},
	},
	{
		.id = VERB_EXPORT,
		.name = "export",
		.synopsis = "export [OPTIONS] FILE.wtr",
		.summary = "pictures and other tools' formats",
		.description = "Writes what a recording holds as a flame graph or for another tool to read.",
		.operands = OPERANDS_FILE,
		.run = verb_export,
		.examples = {"warmtrace export --format svg -o first-request.svg warmtrace.wtr",
			     "warmtrace export --format perfetto --phase all -o trace.pb warmtrace.wtr",
			     "warmtrace export --format folded --by exceptions --phase startup warmtrace.wtr"},
	},
	{
		.id = VERB_DOCTOR,
		.name = "doctor",
		.synopsis = "doctor [OPTIONS]",
		.summary = "what works on this machine, and how to get what does not",
		.description = "Tries each probe on this kernel and looks at the JVM on the path. Exit status 0 "
			       "where a command "
			       "can be traced here, else 125.",
		.operands = OPERANDS_NONE,
		.run = verb_doctor,
		.examples = {"sudo warmtrace doctor", "sudo env \"PATH=$PATH\" warmtrace doctor",
			     "sudo WARMTRACE_WITHOUT=uprobe_multi warmtrace doctor"},
	},
};

const size_t verb_count = array_length(verbs);

const struct verb *verb_find(char *const *words, char *const **ret_words)
{
	for (size_t i = 0; words[0] && i < verb_count; i++)
		if (verbs[i].name && strcmp(verbs[i].name, words[0]) == 0) {
			*ret_words = words + 1;
			return &verbs[i];
		}
	*ret_words = words;
	return &verbs[0];
}

int outcome_status(const struct outcome *outcome)
{
	if (outcome->has_command_status && (outcome->command_status || outcome->was_interrupted))
		return outcome->command_status;
	if (outcome->no_answer)
		return 124;
	return outcome->failed_gates.count ? 1 : 0;
}

void outcome_done(struct outcome *outcome)
{
	for vec_each(line, &outcome->failed_gates)
		free(*line);
	vec_done(&outcome->failed_gates);
	free(outcome->no_answer);
	outcome->no_answer = NULL;
}
