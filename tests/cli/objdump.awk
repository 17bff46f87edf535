# Of llvm-objdump's output, the lines of functions: without what fills the space
# between them (s_nop up to the next function, zeros), and with labels that
# begin at L0 in each function; llvm-objdump numbers those of a section.
function flush_lines(  i, line, number) {
  for (i = 1; i <= lines; i++) {
    line = text[i]
    if (match(line, /L[0-9]+/) &&
        (line ~ /<L[0-9]+>:$/ || line ~ /^\ts_(c?branch|call)/)) {
      number = substr(line, RSTART + 1, RLENGTH - 1) - first
      line = substr(line, 1, RSTART) number substr(line, RSTART + RLENGTH)
    }
    sub(/ *\/\//, " //", line)
    print line
  }
  lines = 0
  first = -1
}
BEGIN { first = -1 }
/^[0-9a-f]+ <L[0-9]+>:$/ {
  match($0, /L[0-9]+/)
  if (first < 0)
    first = substr($0, RSTART + 1, RLENGTH - 1)
}
/^[0-9a-f]+ <\.text>:$/ { next } # the space before the first function
/^\t\t\.\.\./ { next } # zeros
/^[0-9a-f]+ <.*>:$/ {
  if ($0 !~ /<L[0-9]+>:$/)
    flush_lines()
  held = 0
  text[++lines] = $0
  next
}
/^\t(s_nop 0|s_code_end) / { nops[++held] = $0; next }
/^\t/ {
  for (i = 1; i <= held; i++)
    text[++lines] = nops[i]
  held = 0
  text[++lines] = $0
}
END { flush_lines() }
