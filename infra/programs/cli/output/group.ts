/** Commands of one noun may come from several files: the first of them makes the group. */
import type { Command } from 'commander';

export function group(program: Command, name: string, description: string): Command {
  const known = program.commands.find((command) => command.name() === name);
  return known ?? program.command(name).description(description);
}

export const CONVERSATIONS = "conversations, and what a team's members do in them";
