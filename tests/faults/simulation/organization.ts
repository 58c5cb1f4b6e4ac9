/** The organization of a world, and the names by which clients know it. */

import { organizationId } from '../../../shared/entity-ids.ts';
import type { Address, Answer, Command, CommandOf } from '../../../shared/ports/bus.ts';
import { partitionName, partitionOf } from '../../../shared/wire/subjects.ts';
import { organizationFile } from '../../support/organization.ts';
import { LATE } from '../checkers/flows.ts';
import { FAREWELL } from '../checkers/opt-outs.ts';
import { paceOf } from './busy-shops.ts';
import { applySeed } from './operator.ts';
import { LIBRARY_FILE } from './outside/simulated-media.ts';
import { MachineBus } from './world/bus.ts';
import { Machine } from './world/machine.ts';
import { worldIds } from './world/processes.ts';
import type { World } from './world.ts';

export const REF = 'loja';

export const ALL_EVENTS = 'https://all.example/hook';
export const MESSAGE_EVENTS = 'https://messages.example/hook';

/** Flows give them to contacts. */
export const FLOW_TAGS = ['respondeu'];
const FLOWS = [
  {
    ref: 'enquete',
    name: 'Enquete',
    enabled: true,
    steps: [
      { id: 'ola', do: 'send', text: 'flow: oi', next: 'espera' },
      {
        id: 'espera',
        do: 'wait',
        timeout: '4s',
        onTimeout: 'pausa',
        saveAs: 'resposta',
        next: 'marca',
      },
      { id: 'marca', do: 'tag', tags: FLOW_TAGS, next: 'pausa' },
      { id: 'pausa', do: 'delay', for: '1s', next: 'negocio' },
      { id: 'negocio', do: 'deal', action: 'create', title: 'Do fluxo', next: 'tchau' },
      { id: 'tchau', do: 'send', text: 'flow: tchau', next: 'fim' },
      { id: 'fim', do: 'end', status: 'open' },
    ],
  },
  {
    ref: 'palavra',
    name: 'Palavra',
    enabled: true,
    triggers: [{ on: 'keyword', keyword: 'preço', match: 'contains' }],
    steps: [
      { id: 'valor', do: 'send', text: 'flow: preço', next: 'fim' },
      { id: 'fim', do: 'end', status: 'open' },
    ],
  },
  {
    ref: 'atrasada',
    name: 'Atrasada',
    enabled: true,
    triggers: [{ on: 'keyword', keyword: LATE.written }],
    steps: [
      { id: 'tarde', do: 'send', text: LATE.answered, next: 'fim' },
      { id: 'fim', do: 'end', status: 'open' },
    ],
  },
  {
    ref: 'despedida',
    name: 'Despedida',
    enabled: true,
    steps: [
      { id: 'adeus', do: 'send', text: FAREWELL, next: 'sai' },
      { id: 'sai', do: 'opt', optIn: false },
    ],
  },
];

export interface Shop {
  readonly orgId: string;
  readonly account: string;
  readonly main: { readonly id: string; readonly key: string };
  readonly shop: { readonly id: string; readonly key: string };
  /** But for the farewell, and the one that late messages would start. */
  readonly flows: readonly string[];
  readonly farewell: string;
  readonly file: string;
  readonly members: readonly string[];
  /** Asks an actor as the operator's command line does. @throws without an answer */
  readonly ask: (to: Address, command: Omit<Command, 'id'>) => Promise<Answer>;
  /** The same of a conversation. */
  readonly operate: (
    conversationId: string,
    order: Readonly<Record<string, unknown>>,
  ) => Promise<{ readonly status: number; readonly body: string }>;
  /** Has a channel read its configuration again, as after an `apply`. */
  readonly configure: (
    channelId: string,
  ) => Promise<{ readonly status: number; readonly body: string }>;
}

function fileOf(seed: number, perKey: number) {
  return organizationFile(REF, {
    limits: { perKey, perOrg: 10_000 },
    businessAccountId: 'conta-da-loja',
    pace: paceOf(seed),
    subscriptions: [
      {
        ref: 'all',
        url: ALL_EVENTS,
        events: [
          ...['*', 'deal.reopened', 'message.failed', 'message.delivered', 'message.read'],
          ...['conversation.assigned', 'conversation.resolved', 'conversation.reopened'],
          ...['contact.created', 'contact.updated'],
        ],
      },
      { ref: 'messages', url: MESSAGE_EVENTS, events: ['message.sent', 'message.received'] },
    ],
    more: {
      members: [
        { ref: 'ana', name: 'Ana', email: 'ana@loja.example' },
        { ref: 'rui', name: 'Rui', email: 'rui@loja.example' },
      ],
      tags: FLOW_TAGS,
      flows: FLOWS,
      files: [LIBRARY_FILE],
    },
  });
}

/** Applies the file without faults, as an installation is set up before it is used. */
export async function openShop(world: World): Promise<Shop> {
  const machine = new Machine('operator', world.scheduler, 0);
  const bus = new MachineBus(machine, world.bus);
  const ids = worldIds(world.random.branch(), true);
  // Processes admit by themselves, from slices of a large window, in every other world.
  const large = world.seed % 2 === 0 ? 100_000 : 4_000;
  const perKey = world.random.happens(0.2) ? 25 : large;
  const file = fileOf(world.seed, perKey);
  const orgId = organizationId(ids, REF);
  const number = partitionOf('organization', orgId);
  world.organizationPartition = partitionName({ kind: 'organization', number });
  world.windows.perKey = perKey;
  const deadline = () => machine.clock.now() + 8_000;
  const apply: CommandOf<'organization'> = {
    id: ids.fresh('cmd'),
    type: 'apply',
    check: false,
    seed: applySeed(world.seed),
    organization: file,
  };
  const to = { kind: 'organization', key: orgId } as const;
  const answer = await bus.ask(to, apply, { deadline: deadline() });
  if (answer.status !== 200) throw new Error(`the file was refused: ${answer.body}`);
  const { channels, flows: made, members, files } = JSON.parse(answer.body);
  const { despedida: farewell, atrasada: _, ...flows } = made;
  world.knownChannels = [channels.main.id, channels.shop.id];
  world.knownBridges = [channels.shop.id];
  const tokenOf = (key: string) =>
    file.keys.find(({ ref }) => ref === key)?.token ?? `no key ${key}`;
  return {
    orgId,
    account: tokenOf('erp'),
    main: { id: channels.main.id, key: tokenOf('main') },
    shop: { id: channels.shop.id, key: tokenOf('shop') },
    flows: Object.values<string>(flows),
    farewell,
    file: files[LIBRARY_FILE.ref],
    members: Object.values<string>(members),
    ask: (address, order) =>
      bus.ask(address, { id: ids.fresh('cmd'), ...order }, { deadline: deadline() }),
    operate: (key, order) =>
      bus.ask(
        { kind: 'conversation', key },
        { id: ids.fresh('cmd'), type: 'none', ...order },
        { deadline: deadline() },
      ),
    configure: (key) =>
      bus.ask(
        { kind: 'channel', key },
        { id: ids.fresh('cmd'), type: 'configure' },
        { deadline: deadline() },
      ),
  };
}
