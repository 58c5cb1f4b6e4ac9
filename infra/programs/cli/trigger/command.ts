/** `recado trigger`: provokes an event of the contract, on a channel of the simulator (D254). */
import type { Command } from 'commander';
import { nearest } from '../../../../shared/provisioning/nearest.ts';
import { ORG } from '../output/lists.ts';
import type { Row } from '../output/print.ts';
import type { Printing } from '../output/printing.ts';
import { badInput } from '../service/failure.ts';
import type { Service } from '../service/service.ts';
import { listTriggers, renderTriggers } from './list.ts';
import { isTriggered, type Text, TRIGGER_NAMES, TRIGGERS } from './table.ts';
import { findTarget, type TargetOptions } from './target.ts';

interface TriggerOptions extends TargetOptions {
  readonly text?: string;
  readonly list?: boolean;
}

/** Prints the ids of what it has made, so that the event can be found. */
function trigger(event: string, options: TriggerOptions): (service: Service) => Promise<Row> {
  if (!isTriggered(event)) throw badInput('', unknownEvent(event));
  const { text: meaning, provoke } = TRIGGERS[event];
  const text = textOf(event, meaning, options.text);
  return async (service) => {
    const target = await findTarget(service, options);
    const { orgId, channelId, phone } = target;
    const made = await provoke({ service, target, text });
    return { event, orgId, channelId, phone, ...made };
  };
}

function unknownEvent(name: string): string {
  const near = nearest(name, TRIGGER_NAMES);
  const meant = near === null ? '' : `; did you mean "${near}"?`;
  return `there is no event "${name}"${meant} (recado trigger --list shows all)`;
}

function textOf(event: string, meaning: Text | null, given: string | undefined): string {
  if (meaning === null) {
    if (given !== undefined) throw badInput('--text', `means nothing for ${event}`);
    return '';
  }
  const { usual, maxChars } = meaning;
  const text = given ?? usual;
  const length = [...text].length;
  if (length > 0 && length <= maxChars) return text;
  throw badInput('--text', `must have 1 to ${maxChars} characters for ${event}`);
}

function helpOnEvents(): string {
  const width = Math.max(...TRIGGER_NAMES.map((name) => name.length));
  const lines = Object.entries(TRIGGERS).map(
    ([name, { does }]) => `  ${name.padEnd(width)}  ${does}`,
  );
  return `\nEvents:\n${lines.join('\n')}`;
}

export function addTrigger(program: Command, printing: Printing): void {
  program
    .command('trigger')
    .description('provokes an event, on a channel of the simulator, by what causes it')
    .argument('[event]', 'name of the event')
    .option(...ORG)
    .option('--channel <channel>', 'ref or id of a channel with baseUrl: sandbox')
    .option('--from <phone>', 'phone of the contact; a fictional number unless given')
    .option('--text <text>', 'text of the message, or title of the deal or task')
    .option('--list', 'show every event with an example')
    .addHelpText('after', helpOnEvents)
    .action((event: string | undefined, options: TriggerOptions) => {
      if (options.list === true) {
        const shown = { text: renderTriggers };
        return printing.show((service) => listTriggers(service, options), shown);
      }
      if (event === undefined) throw badInput('', 'name an event: recado trigger --list shows all');
      return printing.show(trigger(event, options));
    });
}
