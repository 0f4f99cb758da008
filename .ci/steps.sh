# For .ci/run: runs steps one after another and sums up what each says of itself in a line `N passed, N failed, N skipped`.
# Lines that start with `FAILED`, whatever prefix they have, are said again at the end.

passed=0 failed=0 skipped=0
output=$(mktemp) failures=$(mktemp)
trap 'rm -f "$output" "$failures"' EXIT

# step [--skips N] COMMAND …: runs a command and adds its counts. One that prints none counts as a failure; so does one
# that fails all the same, and one that skips more than N tests, or any when no N is given.
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
    printf 'FAILED step: %s: %s skipped, at most %s may be\n' "$*" "$missed" "$allowed" >>"$failures"
    bad=$((bad + 1))
  fi
  printf -- '--- %s s\n' "$((SECONDS - began))"
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + missed))
}

# Prints the sums in the last line; the exit code is 0 when nothing failed.
sum_up() {
  echo
  cat "$failures"
  printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" -eq 0 ]
}
