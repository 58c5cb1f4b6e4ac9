/** The commands of `recado` (fixed interfaces: Operator's command line). */
import { Command, Option } from 'commander';
import { DELIVERY_STATUSES } from '../../shared/vocabulary.ts';
import { applySource } from './apply.ts';
import { addConversations } from './conversations.ts';
import {
  type DeliveryFilter,
  listDeliveries,
  type RetryOrder,
  retryDeliveries,
  showDelivery,
} from './deliveries.ts';
import { addFiles } from './files.ts';
import { createKey, type KeyOrder, listKeys, revokeKey } from './keys.ts';
import { addOperations, type Looking } from './operations.ts';
import { render } from './print.ts';
import { PATIENCE_MS, type Service } from './service.ts';
import { type Place, readSource } from './source.ts';
import { addSubscriptions } from './subscriptions.ts';

/** What the commands need of the process that they run in. */
export interface Surroundings extends Looking {
  readonly place: Place;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

type Value = Readonly<Record<string, unknown>>;

interface Printing {
  /** Runs `ask` against the service and prints what it gives. */
  show(ask: (service: Service) => Promise<Value>): Promise<void>;
}

function addKeys(program: Command, { show }: Printing): void {
  const keys = program.command('keys').description('keys of an organization');
  keys
    .command('create')
    .description('makes a key and prints its token, this once')
    .requiredOption('--org <org>', 'ref or id of the organization')
    .requiredOption('--name <name>', 'what to call the key')
    .requiredOption('--scope <scope>', 'account or channel')
    .option('--channel <channel>', 'ref or id of the channel that a channel key speaks for')
    .action((order: KeyOrder) => show((service) => createKey(service, withoutJson(order))));
  keys
    .command('list')
    .description('lists the keys of an organization')
    .requiredOption('--org <org>', 'ref or id of the organization')
    .action(({ org }: { org: string }) => show((service) => listKeys(service, org)));
  keys
    .command('revoke')
    .description('revokes a key: every gateway refuses it from now on')
    .argument('<keyId>', 'the id of the key')
    .action((keyId: string) => show((service) => revokeKey(service, keyId)));
}

function addDeliveries(program: Command, { show }: Printing, now: () => number): void {
  const deliveries = program.command('deliveries').description('deliveries of events');
  deliveries
    .command('list')
    .description('lists deliveries, newest first')
    .requiredOption('--org <org>', 'ref or id of the organization')
    .option('--subscription <subscription>', 'ref or id of a subscription')
    .addOption(new Option('--status <status>', 'their status').choices([...DELIVERY_STATUSES]))
    .option('--since <time>', 'ISO 8601 time, or so long ago (2h)')
    .option('--until <time>', 'ISO 8601 time, or so long ago (2h)')
    .action((filter: DeliveryFilter) => show((service) => listDeliveries(service, filter, now())));
  deliveries
    .command('show')
    .description('shows a delivery with its body')
    .argument('<id>', 'the id of the delivery')
    .action((id: string) => show((service) => showDelivery(service, id)));
  deliveries
    .command('retry')
    .description('sends deliveries once more')
    .argument('[ids...]', 'ids of deliveries')
    .option('--org <org>', "ref or id of the subscription's organization")
    .option('--subscription <subscription>', 'ref or id of a subscription')
    .option('--since <time>', 'ISO 8601 time, or so long ago (2h)')
    .option('--until <time>', 'ISO 8601 time, or so long ago (2h)')
    .action((ids: string[], order: Omit<RetryOrder, 'ids'>) =>
      show((service) => retryDeliveries(service, { ...order, ids }, now())),
    );
}

/** `--json` is the program's own and no property of a key. */
function withoutJson({ org, name, scope, channel }: KeyOrder): KeyOrder {
  return { org, name, scope, ...(channel !== undefined && { channel }) };
}

/** Throws instead of ending the process: BadInput, ServiceFailed or commander's own error. */
export function createProgram(surroundings: Surroundings): Command {
  const { open, log, place, now, write } = surroundings;
  const program = new Command('recado')
    .description("the operator's command line of Recado")
    .option('--json', 'print one JSON value instead of a table')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  const printing: Printing = {
    async show(ask) {
      const service = await open(PATIENCE_MS);
      const value = await ask(service);
      await service.close();
      const { json } = program.opts<{ json?: boolean }>();
      write(json === true ? `${JSON.stringify(value)}\n` : render(value));
    },
  };
  program
    .command('apply')
    .description('creates or updates organizations from a YAML or JSON file')
    .argument('<file>', 'the file, or - for standard input')
    .action(async (file: string) => {
      const applied = await applySource(await readSource(file, place), { open, log });
      write(`${JSON.stringify(applied, null, 2)}\n`);
    });
  addKeys(program, printing);
  addSubscriptions(program, (ask) => printing.show(ask));
  addDeliveries(program, printing, now);
  addConversations(program, (ask) => printing.show(ask));
  addFiles(program, { open, log, place, show: (ask) => printing.show(ask) });
  addOperations(program, surroundings);
  return program;
}
