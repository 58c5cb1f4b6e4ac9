/** Moves flags before a command behind it, where commander expects them. */

/** The program's own flags are accepted anywhere. */
const OWN: ReadonlySet<string> = new Set(['--json', '--help', '-h', '--version', '-V']);

function isFlag(word: string): boolean {
  return word.startsWith('-') && word !== '-';
}

/** `--check apply FILE` as `apply FILE --check`; `words` are without the program's name. */
export function flagsBehind(args: readonly string[]): readonly string[] {
  const command = args.findIndex((word) => !isFlag(word));
  if (command < 1) return args;
  const leading = args.slice(0, command);
  const rest = args.slice(command);
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
  return [
    ...leading.filter((word) => OWN.has(word)),
    ...rest.slice(0, end),
    ...leading.filter((word) => !OWN.has(word)),
    ...rest.slice(end),
  ];
}
