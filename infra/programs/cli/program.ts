/** The commands of `recado` (C12). */
import { Command, type OutputConfiguration } from 'commander';
import { VERSION } from '../../../shared/version.ts';
import { ACCESS_DEFAULT } from '../../../shared/vocabulary.ts';
import { addContacts } from './conversations/contacts.ts';
import { addConversations } from './conversations/conversations.ts';
import { addConversationLists } from './conversations/lists.ts';
import { addMessages } from './conversations/messages.ts';
import { addRuns } from './conversations/runs.ts';
import { addOperations, type OperationsContext } from './installation/operations.ts';
import { addListen } from './listen.ts';
import { addChannelCheck } from './organization/channel-check.ts';
import { addDeliveries, renderDelivery } from './organization/delivery-commands.ts';
import { addEntries } from './organization/entries.ts';
import { addExport } from './organization/export.ts';
import { createKey, type KeyOptions, listKeys, revokeKey } from './organization/keys.ts';
import { addPanel } from './organization/panel.ts';
import { addSubscriptions } from './organization/subscriptions.ts';
import { addTemplates } from './organization/templates.ts';
import { group } from './output/group.ts';
import { addList, type List, type OfList, ORG } from './output/lists.ts';
import { type Printing, printingOf } from './output/printing.ts';
import { addApply } from './provisioning/apply-command.ts';
import { addFiles } from './provisioning/files.ts';
import type { Invocation } from './provisioning/source.ts';
import { addTop, type TopContext } from './top/command.ts';
import { addTrigger } from './trigger/command.ts';

/** A run's means for the commands. */
export interface ProgramContext extends OperationsContext, TopContext {
  readonly invocation: Invocation;
  /** Of help and of complaints about the words. */
  readonly output: OutputConfiguration;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const KEYS: List<OfList> = {
  description: 'lists the keys of an organization',
  read: (service, { org }) => listKeys(service, org),
  row: ({ id, ref, name, scope, access, assistant, prefix, ...times }) => ({
    ...{ id, ref, name, scope, access: assistant === true ? `${access}, assistant` : access },
    ...{ prefix, created: day(times.createdAt), expires: day(times.expiresAt) },
    revoked: day(times.revokedAt),
  }),
};

function day(at: unknown): string | null {
  return typeof at === 'string' ? at.slice(0, 10) : null;
}

function addKeys(program: Command, printing: Printing): void {
  const keys = group(program, 'keys', 'keys of an organization');
  keys
    .command('create')
    .description('makes a key and prints its token, this once')
    .option(...ORG)
    .requiredOption('--name <name>', 'what to call the key')
    .requiredOption('--scope <scope>', 'account or channel')
    .option('--channel <channel>', 'ref or id of the channel that a channel key speaks for')
    .option('--access <access>', 'read, send or full: what it may call', ACCESS_DEFAULT)
    .option('--expires-at <time>', 'when it stops working, such as 2030-01-31T23:59:59Z')
    .option('--assistant', 'it is an AI assistant: what it changes has the origin assistant')
    .action((options: KeyOptions) =>
      printing.show((service) => createKey(service, withoutJson(options))),
    );
  addList(keys, printing, KEYS);
  keys
    .command('revoke')
    .description('revokes a key: every gateway refuses it from now on')
    .argument('<keyId>', 'the id of the key')
    .action((keyId: string) => printing.show((service) => revokeKey(service, keyId)));
}

/** `--json` is the program's own and no property of a key. */
function withoutJson({ org, channel, expiresAt, assistant, ...key }: KeyOptions): KeyOptions {
  const { name, scope, access } = key;
  return {
    ...{ name, scope, access },
    ...(org !== undefined && { org }),
    ...(channel !== undefined && { channel }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(assistant !== undefined && { assistant }),
  };
}

/** Throws instead of ending the process: BadInput, ServiceFailed or commander's own error. */
export function createProgram(context: ProgramContext): Command {
  const { open, log, invocation, now } = context;
  const program = new Command('recado')
    .description("the operator's command line of Recado")
    .version(VERSION, '--version', 'print the version')
    .option('--json', 'print one JSON value instead of a table')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput(context.output)
    .exitOverride();
  const printing = printingOf(program, context);
  addApply(program, context);
  addExport(program, context);
  addEntries(program, printing, now);
  addChannelCheck(program, printing);
  addKeys(program, printing);
  addSubscriptions(program, printing, (delivery) => renderDelivery(delivery, now()));
  addDeliveries(program, printing, now);
  addTrigger(program, printing);
  addListen(program, context);
  addConversationLists(program, printing, now);
  addConversations(program, (ask) => printing.show(ask));
  addMessages(program, printing);
  addRuns(program, printing);
  addContacts(program, printing, now);
  addTemplates(program, printing);
  addFiles(program, { open, log, invocation, printing });
  addPanel(program, printing);
  addTop(program, context);
  addOperations(program, context);
  return program;
}
