# For .ci/run and .ci/all: runs steps, and sums the counts that each prints in a line `N passed, N failed, N skipped`. Lines
# that start with `FAILED`, after any prefix, are repeated at the end, and so are those that start with `SKIPPED`, with the
# reason that .ci/skips.txt has for them.

skips=${HERALD_CI_SKIPS:-.ci/skips.txt}
# The sum says when it is over the budget. No step runs longer than `within`: the last line comes before a machine is taken away.
budget='' within=''
in_lane='' steps=0
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
trap interrupted INT TERM HUP
touch "$results"/{counts,times,failures,skips}

# step [--seconds N] COMMAND …: runs a command and adds its counts. A command that prints none, fails without a failed test,
# skips a test that the list does not name, or is not done within N seconds (default 1800) counts as a failure.
step() {
  local seconds=1800 began=$SECONDS shell=$BASHPID output status limit
  if [ "$1" = --seconds ]; then seconds=$2; shift 2; fi
  printf '\n--- %s\n' "$*"
  if [ -n "$within" ] && [ "$seconds" -gt $((within - SECONDS)) ]; then seconds=$((within - SECONDS)); fi
  if [ "$seconds" -le 0 ]; then
    fail "$*: not begun within $within s"
    echo '0 1 0' >>"$results/counts"
    return
  fi
  # Every process has it in its environment, and is found by it.
  export HERALD_CI_STEP="$$-$shell-$((++steps))"
  output=$results/$HERALD_CI_STEP
  stop_after "$seconds" "$output" "$*" $shell &
  limit=$!
  # In a lane, the output is printed when the step ends.
  if [ -n "$in_lane" ]; then
    "$@" >>"$output" 2>&1
    status=$?
  else
    # In the background, so that a signal is handled at once.
    ("$@" 2>&1 | tee -a "$output"; exit "${PIPESTATUS[0]}") &
    wait $!
    status=$?
  fi
  # SIGKILL, because another signal may still run the traps above.
  kill -9 "$limit" 2>/dev/null
  wait "$limit" 2>/dev/null
  add "$output" "$status" "$*"
  {
    flock 9
    if [ -n "$in_lane" ]; then printf '\n--- Output of %s\n' "$*"; cat "$output"; fi
    printf -- '--- %s s: %s\n' "$((SECONDS - began))" "$*"
  } 9>>"$results/printing"
  echo "$((SECONDS - began)) s: $*" >>"$results/times"
  rm "$output"
}

# lanes NAME …: runs functions, which call `step`, at the same time, and waits for all.
lanes() {
  local lane
  for lane in "$@"; do
    (
      trap - INT TERM HUP
      in_lane=$lane
      "$lane"
    ) &
  done
  wait
}

fail() { printf 'FAILED step: %s\n' "$1" >>"$results/failures"; }

# add OUTPUT STATUS NAME: adds the counts, the failures and the skipped tests of a step.
add() {
  local counts ok bad missed unlisted
  counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1" | tail -n 1)
  read -r ok _ bad _ missed _ <<<"${counts:-0 passed, 1 failed, 0 skipped}"
  if [ "$2" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  grep -oE '\bFAILED .*' "$1" >>"$results/failures"
  if [ "$bad" -gt 0 ]; then fail "$3"; fi
  unlisted=$(list_skips "$1" "$missed")
  if [ -n "$unlisted" ]; then
    fail "$3: skipped, which the list does not allow: $unlisted"
    bad=$((bad + 1))
  fi
  echo "$ok $bad $missed" >>"$results/counts"
}

# list_skips OUTPUT N: adds each of the N skipped tests with its reason, and prints those that have none. A line of the list
# has a date, the runs that may skip, the beginning of a path, and the reason.
list_skips() {
  local word date runs path reason line found named=0
  while read -r line; do
    named=$((named + 1)) found=''
    read -r _ word _ <<<"$line"
    while read -r date runs path reason; do
      if [[ $date == 2* && ${word%:}/ == "$path"/* ]] && may_skip "$runs"; then
        found="$reason (since $date)"
      fi
    done <"$skips"
    printf '%s%s\n' "$line" "${found:+: $found}" >>"$results/skips"
    if [ -z "$found" ]; then printf '%s; ' "${line#SKIPPED }"; fi
  done < <(grep -oE '(^|:test: )SKIPPED [^ ]+/.*' "$1" | sed 's/^.*:test: //')
  if [ "$2" -ne "$named" ]; then printf '%s skipped, of which %s are named' "$2" "$named"; fi
}

# may_skip RUNS: `run` is .ci/run, `github` everything on a machine of GitHub as well, `all` everything anywhere.
may_skip() { [[ -z ${HERALD_FULL:-} || $1 == all || ($1 == github && -n ${GITHUB_ACTIONS:-}) ]]; }

# stop_after N FILE NAME SHELL: after N seconds, lists the processes of the current step in the file and kills them. It ends
# with the shell that called it.
stop_after() {
  local ends=$((SECONDS + $1)) pids
  while [ "$SECONDS" -lt "$ends" ]; do
    sleep 1 >/dev/null 2>&1
    if ! kill -0 "$4" 2>/dev/null; then exit; fi
  done
  pids=$(processes_of "$HERALD_CI_STEP")
  {
    printf 'FAILED step: %s: not done after %s s; its processes:\n' "$3" "$1"
    ps -o pid,ppid,stat,etime,time,args -p "$(paste -sd , <<<"$pids")" | cut -c 1-200
  } | if [ -n "$in_lane" ]; then cat >>"$2"; else tee -a "$2"; fi
  kill -9 $pids 2>/dev/null
}

# processes_of MARK: processes are found by their environment, because some have a process group of their own or have lost
# their parent.
processes_of() { grep -lzE "^HERALD_CI_STEP=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3; }

# Lanes ignore Ctrl-C, as everything that runs in the background of a script.
interrupted() {
  trap '' INT TERM HUP
  kill -9 $(jobs -p) 2>/dev/null
  kill $(processes_of "$$-") 2>/dev/null
  exit 130
}

# Prints the time of each step, the failures, the skipped tests and, as the last line, the sums. Returns 0 if nothing failed.
sum_up() {
  local passed=0 failed=0 skipped=0 ok bad missed over=''
  if [ -n "$budget" ] && [ "$SECONDS" -gt "$budget" ]; then over=", which is over the budget of $budget s"; fi
  printf '\nAll steps took %s s%s.\n' "$SECONDS" "$over"
  cat "$results/times" - "$results/failures" "$results/skips" <<<''
  while read -r ok bad missed; do
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + missed))
  done <"$results/counts"
  printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" -eq 0 ]
}
