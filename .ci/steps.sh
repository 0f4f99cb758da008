# For .ci/run: runs steps in sequence and sums the counts that each prints in a line `N passed, N failed, N skipped`.
# Lines that start with `FAILED`, after any prefix, are repeated at the end.

passed=0 failed=0 skipped=0 steps=0 times=''
output=$(mktemp) failures=$(mktemp)
trap 'rm -f "$output" "$failures"' EXIT

# step [--skips N] [--seconds N] COMMAND …: runs a command and adds its counts. A command that prints none, fails without a
# failed test, skips more than N tests (default 0), or is not done within N seconds (default 900) counts as a failure.
step() {
  local status counts ok bad missed took allowed=0 seconds=900 limit began=$SECONDS
  while true; do
    case $1 in
      --skips) allowed=$2 ;;
      --seconds) seconds=$2 ;;
      *) break ;;
    esac
    shift 2
  done
  printf '\n--- %s\n' "$*"
  export HERALD_CI_STEP="$$-$((++steps))"
  stop_after "$seconds" "$*" &
  limit=$!
  "$@" 2>&1 | tee "$output"
  status=${PIPESTATUS[0]}
  # SIGKILL, because another signal may still run the trap above, which removes the files.
  kill -9 "$limit" 2>/dev/null
  wait "$limit" 2>/dev/null
  counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$output" | tail -n 1)
  read -r ok _ bad _ missed _ <<<"${counts:-0 passed, 1 failed, 0 skipped}"
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  grep -oE '\bFAILED .*' "$output" >>"$failures"
  if [ "$bad" -gt 0 ]; then printf 'FAILED step: %s\n' "$*" >>"$failures"; fi
  if [ "$missed" -gt "$allowed" ]; then
    printf 'FAILED step: %s: %s skipped, at most %s allowed\n' "$*" "$missed" "$allowed" >>"$failures"
    bad=$((bad + 1))
  fi
  took=$((SECONDS - began))
  printf -- '--- %s s\n' "$took"
  times+="$took s: $*"$'\n'
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + missed))
}

# stop_after N NAME: after N seconds, lists the processes of the current step and kills them. They are found by their
# environment, because some have a process group of their own or have lost their parent.
stop_after() {
  local ends=$((SECONDS + $1)) pids
  while [ "$SECONDS" -lt "$ends" ]; do sleep 1 >/dev/null 2>&1; done
  pids=$(grep -lzsx "HERALD_CI_STEP=$HERALD_CI_STEP" /proc/[0-9]*/environ | cut -d / -f 3)
  printf 'FAILED step: %s: not done after %s s; its processes:\n' "$2" "$1" | tee -a "$failures"
  ps -o pid,ppid,stat,etime,time,args -p "$(paste -sd , <<<"$pids")" | cut -c 1-200
  kill -9 $pids 2>/dev/null
}

# Prints the time of each step, the failures and, as the last line, the sums. Returns 0 if nothing failed.
sum_up() {
  printf '\nAll steps took %s s:\n%s\n' "$SECONDS" "$times"
  cat "$failures"
  printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" -eq 0 ]
}
