/** Provisioning files with random flows: mostly good ones, which lead somewhere and come back. */
import { MAIN } from '../../support/example-file.ts';
import type { SeededRandom } from '../simulation/world/seeded-random.ts';

export type Step = Readonly<Record<string, unknown>>;

const TEXTS = [
  'Olá {{contact.name}}!',
  '{{answers.nome | default: "você"}} de {{org.name}}',
  '{% if contact.tags contains "vip" %}VIP{% else %}{{contact.phone}}{% endif %}',
  '{{answers.loja.pedido.total}} {{conversation.id}}',
  '{% for tag in contact.tags %}{{tag}} {% endfor %}',
  'sem nada',
  '{{"now" | date: "%Y"}}{{contact.fields.plano | upcase}}',
] as const;
const NAMES = ['nome', 'loja', 'resposta'] as const;
const DURATIONS = ['1s', '250ms', '2h', '3d', '730d'] as const;
const CHOICES = ['sim', 'nao', 'ouro'] as const;
const MEMBERS = ['ana', 'bia'] as const;
const FLOWS = ['f0', 'f1', 'f2'] as const;

function condition(random: SeededRandom, depth = 0): Step {
  if (random.happens(0.15)) return { window: random.pick(['open', 'closed']) };
  if (random.happens(0.1)) return { answer: random.pick(NAMES), chosen: random.pick(CHOICES) };
  const kind = random.below(depth < 3 ? 9 : 6);
  switch (kind) {
    case 0:
      return { answer: random.pick(['nome', 'loja.pedido.total']), above: random.below(50) };
    case 1:
      return { answer: random.pick(NAMES), [random.pick(['equals', 'contains', 'starts'])]: 'sim' };
    case 2:
      return { field: 'plano', in: ['ouro', 'prata'] };
    case 3:
      return { tag: 'vip' };
    case 4:
      return { hours: random.pick(['09:00-18:00', '22:00-06:00']) };
    case 5:
      return random.happens(0.5) ? { optIn: true } : { weekday: ['mon', 'fri'] };
    case 6:
      return { not: condition(random, depth + 1) };
    default: {
      const inner = [condition(random, depth + 1), condition(random, depth + 1)];
      return random.happens(0.5) ? { all: inner } : { any: inner };
    }
  }
}

/** One message of each kind; most are sent, some are too long or not approved. */
function content(random: SeededRandom, say: () => string): Step {
  const template = {
    name: random.pick(['pedido', 'outro']),
    language: 'pt_BR',
    body: random.pick([[say(), '77'], [say()], { nome: say() }]),
  };
  const rows = [
    { id: 'ouro', title: say() },
    { id: 'prata', title: 'Prata', description: say() },
  ];
  const makers: readonly (() => Step)[] = [
    () => ({ template }),
    () => ({ text: say(), fallbackTemplate: template }),
    () => ({ text: say(), outsideWindow: 'refuse', reply: true }),
    () => ({
      interactive: {
        type: 'buttons',
        text: say(),
        buttons: [
          { id: 'sim', title: say() },
          { id: 'nao', title: 'Não' },
        ],
      },
    }),
    () => ({ interactive: { type: 'list', text: say(), button: 'Ver', sections: [{ rows }] } }),
    () => ({ interactive: { type: 'url', text: say(), title: 'Ver', url: say() } }),
    () => ({ reaction: { emoji: random.pick(['👍', '']) } }),
    () => ({ location: { latitude: random.pick([1, say()]), longitude: 2, name: say() } }),
    () => ({ contacts: [{ name: say(), phones: ['{{contact.phone}}'] }] }),
  ];
  return random.pick(makers)();
}

interface Ways {
  readonly onward: () => string | null;
  readonly anywhere: () => string | null;
}

/** Fields of each kind of step, beside its next steps. */
function stepBody(random: SeededRandom, { onward: to, anywhere }: Ways): Step {
  const say = () => random.pick(TEXTS);
  const makers: readonly (() => Step)[] = [
    () => ({ do: 'send', text: say(), next: to() }),
    () => ({ do: 'send', text: say(), next: to() }),
    () => ({ do: 'send', ...content(random, say), next: to(), onError: to() }),
    () => ({ do: 'send', ...content(random, say), next: to() }),
    () => ({ do: 'wait', saveAs: random.pick(NAMES), next: anywhere() }),
    () => ({
      do: 'wait',
      timeout: random.pick(DURATIONS),
      next: anywhere(),
      onTimeout: anywhere(),
    }),
    () => ({ do: 'wait', debounce: random.pick(['1s', '5m']), saveAs: 'nome', next: anywhere() }),
    () => ({ do: 'choose', cases: [{ when: condition(random), next: to() }], else: to() }),
    () => ({ do: 'delay', for: random.pick(DURATIONS), next: anywhere() }),
    () => ({ do: 'delay', until: '09:00', weekdays: ['mon', 'tue'], next: anywhere() }),
    () => ({ do: 'set', fields: { plano: say() }, next: to() }),
    () => ({ do: random.pick(['tag', 'untag']), tags: ['vip'], next: to() }),
    () => ({ do: 'assign', member: random.pick([...MEMBERS, null]), next: to() }),
    () => ({ do: 'deal', action: 'create', title: say(), stage: 'Novo', next: to() }),
    () => ({ do: 'deal', action: 'close', status: 'lost', lostReason: 'preço', next: to() }),
    () => ({ do: 'task', title: say(), dueInDays: 1, dueTime: '09:30', next: to() }),
    () => ({ do: 'http', url: 'http://127.0.0.1:9/', saveAs: 'loja', next: to(), onError: to() }),
    () => ({ do: 'handoff', member: 'ana', note: say(), pause: '2h' }),
    () => ({ do: 'start', flow: random.pick(FLOWS) }),
    () => ({ do: 'opt', optIn: false }),
    () => ({ do: 'end', status: 'resolved' }),
  ];
  return random.pick(makers)();
}

/** Each step leads on to the next; now and then past it, or back where something is waited for. */
function stepsOf(random: SeededRandom): readonly Step[] {
  const count = 1 + random.below(9);
  /** Anything may lead back: most of these spin, and are to be refused. */
  const wild = random.happens(0.2);
  const steps = Array.from({ length: count }, (_, index) => {
    const later = (least: number): string | null => (least < count ? `s${least}` : null);
    const onward = (): string | null => {
      if (random.happens(0.85)) return later(index + 1);
      return random.happens(0.2) ? null : later(index + 1 + random.below(3));
    };
    const anywhere = () => (random.happens(0.3) ? `s${random.below(count)}` : onward());
    const body = stepBody(random, { onward: wild ? anywhere : onward, anywhere });
    return { id: `s${index}`, ...body };
  });
  return reached(steps);
}

/** Without the steps that no way leads to. */
function reached(steps: readonly Step[]): readonly Step[] {
  const found = new Set(['s0']);
  for (const id of found) {
    const step = steps.find((each) => each.id === id);
    const cases = Array.isArray(step?.cases) ? step.cases : [];
    for (const { next, else: other, onTimeout, onError } of [{ ...step }, ...cases]) {
      for (const target of [next, other, onTimeout, onError]) {
        if (typeof target === 'string') found.add(target);
      }
    }
  }
  return steps.filter(({ id }) => found.has(String(id)));
}

const CHOOSING = {
  type: 'buttons',
  text: 'Qual?',
  buttons: CHOICES.map((id) => ({ id, title: id })),
};

/** Has every answer and every button that the others name, and goes over into each of them. */
const ENTRANCE = {
  ref: 'entrance',
  name: 'Entrada',
  steps: [
    { id: 'loja', do: 'http', url: 'http://127.0.0.1:9/', saveAs: 'loja', next: 'nome' },
    { id: 'nome', do: 'wait', saveAs: 'nome', next: 'resposta' },
    { id: 'resposta', do: 'wait', saveAs: 'resposta', next: 'asks' },
    { id: 'asks', do: 'send', interactive: CHOOSING, next: 'way' },
    {
      id: 'way',
      do: 'choose',
      cases: FLOWS.map((flow) => ({ when: { answer: 'nome', equals: flow }, next: flow })),
      else: null,
    },
    ...FLOWS.map((flow) => ({ id: flow, do: 'start', flow })),
  ],
};

/** A whole file with one organization and three flows that may go over into each other. */
export function randomFile(random: SeededRandom): Step {
  const drawn = FLOWS.map((ref) => ({
    ref,
    name: `Fluxo ${ref}`,
    enabled: true,
    channel: null,
    isMain: false,
    triggers: random.pick([[], [{ on: 'tag', tag: 'vip' }], [{ on: 'keyword', keyword: 'oi' }]]),
    steps: stepsOf(random),
  }));
  const flows = [...drawn, ENTRANCE];
  const members = MEMBERS.map((ref) => ({ ref, name: ref, email: `${ref}@example.com` }));
  const keys = [{ ref: 'erp', name: 'ERP', scope: 'account' }];
  const limits = { perKey: 120, perOrg: 600 };
  const head = { ref: 'loja', name: 'Loja', timeZone: 'America/Sao_Paulo', country: 'BR', limits };
  return { orgs: [{ ...head, members, channels: [MAIN], keys, tags: ['vip'], flows }] };
}
