# For .ci/run: runs steps in sequence and sums the counts that each prints in a line `N passed, N failed, N skipped`.
# Lines that start with `FAILED`, after any prefix, are repeated at the end.

passed=0 failed=0 skipped=0
output=$(mktemp) failures=$(mktemp)
trap 'rm -f "$output" "$failures"' EXIT

# step [--skips N] COMMAND …: runs a command and adds its counts. A command that prints none, fails without a failed test,
# or skips more than N tests (default 0) counts as a failure.
step() {
  local status counts ok bad missed allowed=0 began=$SECONDS
  if [ "$1" = --skips ]; then
    allowed=$2
    shift 2
  fi
  printf '\n--- %s\n' "$*"
  "$@" 2>&1 | tee "$output"
  status=${PIPESTATUS[0]}
  counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$output" | tail -n 1)
  read -r ok _ bad _ missed _ <<<"${counts:-0 passed, 1 failed, 0 skipped}"
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  grep -oE '\bFAILED .*' "$output" >>"$failures"
  if [ "$bad" -gt 0 ]; then printf 'FAILED step: %s\n' "$*" >>"$failures"; fi
  if [ "$missed" -gt "$allowed" ]; then
    printf 'FAILED step: %s: %s skipped, at most %s allowed\n' "$*" "$missed" "$allowed" >>"$failures"
    bad=$((bad + 1))
  fi
  printf -- '--- %s s\n' "$((SECONDS - began))"
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + missed))
}

# Prints the failures and, as the last line, the sums. Returns 0 if nothing failed.
sum_up() {
  echo
  cat "$failures"
  printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" -eq 0 ]
}
