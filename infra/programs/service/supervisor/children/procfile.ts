/** The Procfile: one role a line, `role: node path/to/main.ts`. */

export interface RoleCommand {
  readonly role: string;
  /** Arguments of Node.js. */
  readonly args: readonly string[];
}

/** @throws {Error} naming the line that is not of that form */
export function parseProcfile(text: string): readonly RoleCommand[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, role, rest] = /^([a-z][a-z0-9-]*):\s*node\s+(\S.*)$/.exec(line) ?? [];
      if (role === undefined || rest === undefined) {
        throw new Error(`the Procfile's line is not "role: node FILE": ${line}`);
      }
      return { role, args: rest.split(/\s+/) };
    });
}
