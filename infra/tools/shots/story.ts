/** A morning at the demo's shop, act by act, in the order of its times. */
import type { ContactRef, MemberRef } from './shop.ts';

const YESTERDAY = '2026-03-09';
const TODAY = '2026-03-10';
const TOMORROW = '2026-03-11';
const ZONE = '-03:00';

/** At which every picture is taken. */
export const NOW = `${TODAY}T10:42:00${ZONE}`;
/** Contacts and deals were there before. */
export const BEFORE = `2026-03-02T09:05:00${ZONE}`;

interface Scene {
  readonly at: string;
  readonly contact: ContactRef;
}

export type Act = Scene &
  (
    | { readonly writes: string; readonly thenFlow?: string }
    | { readonly by: MemberRef; readonly answers: string }
    | { readonly by: MemberRef; readonly notes: string }
    | { readonly by: MemberRef; readonly assigns: MemberRef }
    | { readonly by: MemberRef; readonly resolves: true }
  );

type Pair = readonly [MemberRef, ContactRef];

function on(day: string) {
  const scene = (time: string, contact: ContactRef) => ({
    at: `${day}T${time}:00${ZONE}`,
    contact,
  });
  return {
    writes: (time: string, contact: ContactRef, text: string): Act => ({
      ...scene(time, contact),
      writes: text,
    }),
    /** The flow answers with a text that holds the other one. */
    entersFlow: (
      time: string,
      contact: ContactRef,
      [text, answer]: readonly [text: string, answer: string],
    ): Act => ({ ...scene(time, contact), writes: text, thenFlow: answer }),
    answers: (time: string, [by, contact]: Pair, text: string): Act => ({
      ...scene(time, contact),
      ...{ by, answers: text },
    }),
    notes: (time: string, [by, contact]: Pair, text: string): Act => ({
      ...scene(time, contact),
      ...{ by, notes: text },
    }),
    assigns: (time: string, by: MemberRef, contact: ContactRef): Act => ({
      ...scene(time, contact),
      ...{ by, assigns: by },
    }),
    resolves: (time: string, by: MemberRef, contact: ContactRef): Act => ({
      ...scene(time, contact),
      ...{ by, resolves: true },
    }),
  };
}

const yesterday = on(YESTERDAY);
const today = on(TODAY);

export const STORY: readonly Act[] = [
  yesterday.writes('14:10', 'lucia', 'Boa tarde! A poltrona verde ainda está em promoção?'),
  yesterday.answers('14:16', ['carla', 'lucia'], 'Boa tarde, Lúcia! Está sim, até sexta-feira.'),
  yesterday.writes('14:20', 'lucia', 'Ótimo, passo na loja amanhã. Obrigada!'),
  yesterday.resolves('14:22', 'carla', 'lucia'),
  yesterday.writes('15:40', 'jardim', 'Precisamos de 12 bancos para a área comum. Vocês fazem?'),
  yesterday.assigns('15:50', 'bruno', 'jardim'),
  yesterday.answers('15:54', ['bruno', 'jardim'], 'Fazemos. Envio o orçamento até amanhã cedo.'),
  yesterday.writes(
    '17:48',
    'marina',
    'Oi! Vi a mesa de jantar de 6 lugares no site. Entregam em Campinas?',
  ),
  yesterday.assigns('17:50', 'ana', 'marina'),
  yesterday.answers(
    '17:52',
    ['ana', 'marina'],
    'Oi, Marina! Entregamos sim: o frete sai por R$ 89,00 e chega em até 5 dias úteis.',
  ),
  yesterday.writes('17:58', 'marina', 'Perfeito. Vou medir a sala e falo com você amanhã.'),
  today.writes('08:52', 'pedro', 'Bom dia, a nota fiscal não veio no e-mail.'),
  today.answers(
    '08:57',
    ['carla', 'pedro'],
    'Bom dia, Pedro! Acabei de reenviar para o seu e-mail.',
  ),
  today.writes('09:01', 'pedro', 'Chegou, valeu!'),
  today.resolves('09:02', 'carla', 'pedro'),
  today.writes(
    '09:12',
    'marina',
    'Bom dia! Medi aqui e a mesa cabe certinho. Dá para pagar em 10 vezes?',
  ),
  today.notes(
    '09:15',
    ['ana', 'marina'],
    'Já comprou a estante Ipê. Pode oferecer o frete grátis.',
  ),
  today.answers(
    '09:18',
    ['ana', 'marina'],
    'Bom dia, Marina! Em 10 vezes sem juros, e como você já é cliente o frete fica por nossa conta.',
  ),
  today.writes('09:40', 'larissa', 'Oi! Tenho um projeto novo: 8 luminárias Aurora para um café.'),
  today.answers(
    '09:47',
    ['bruno', 'larissa'],
    'Que bom, Larissa! Para parceiros o desconto é de 12%.',
  ),
  today.assigns('09:48', 'bruno', 'larissa'),
  today.entersFlow('10:05', 'thiago', ['Quero acompanhar minha compra', 'Responda 1 para saber']),
  today.entersFlow('10:06', 'thiago', ['1', 'Qual é o número do pedido?']),
  today.entersFlow('10:14', 'sofia', ['acompanhar', 'Responda 1 para saber']),
  today.writes(
    '10:20',
    'tavares',
    'Recebemos a proposta das 20 cadeiras. Podem incluir a montagem?',
  ),
  today.assigns('10:21', 'carla', 'tavares'),
  today.entersFlow('10:26', 'juliana', [
    'Oi, queria acompanhar meu pedido',
    'Responda 1 para saber',
  ]),
  today.writes('10:31', 'marina', 'Que ótimo! Pode reservar a mesa para mim?'),
  today.answers(
    '10:36',
    ['ana', 'marina'],
    'Reservada! Mando o link de pagamento agora. Assim que confirmar, a entrega sai na quinta.',
  ),
  today.writes('10:38', 'rafael', 'Bom dia. Meu pedido 4821 chegou com uma cadeira riscada.'),
  today.writes('10:39', 'rafael', 'Posso mandar uma foto para vocês verem?'),
];

export interface StoryDeal {
  readonly contact: ContactRef;
  readonly title: string;
  readonly valueCents: number;
  /** Position of its stage. */
  readonly stage: number;
  readonly owner: MemberRef;
  readonly closesOn?: string;
}

export const DEALS: readonly StoryDeal[] = [
  deal('sofia', 'Sofá Lagoa 3 lugares', [489_000, 0, 'carla']),
  deal('rafael', 'Cadeira avulsa Jatobá', [64_900, 0, 'ana']),
  deal('juliana', 'Guarda-roupa Horizonte', [319_000, 0, 'carla']),
  deal('larissa', 'Luminárias Aurora para café', [744_000, 1, 'bruno', '2026-03-20']),
  deal('pedro', 'Aparador Serra', [189_900, 1, 'carla']),
  deal('marina', 'Mesa de jantar Ipê, 6 lugares', [429_000, 2, 'ana', '2026-03-12']),
  deal('jardim', '12 bancos para área comum', [1_068_000, 2, 'bruno', '2026-03-18']),
  deal('tavares', '20 cadeiras de escritório', [1_790_000, 3, 'carla', '2026-03-16']),
  deal('thiago', 'Estante modular Ipê', [238_000, 3, 'ana', '2026-03-13']),
];

function deal(
  contact: ContactRef,
  title: string,
  [valueCents, stage, owner, closesOn]: readonly [number, number, MemberRef, string?],
): StoryDeal {
  const day = closesOn === undefined ? {} : { closesOn };
  return { contact, title, valueCents, stage, owner, ...day };
}

export interface StoryTask {
  readonly title: string;
  readonly assignee: MemberRef;
  readonly dueOn: string;
  readonly dueTime?: string;
  readonly contact?: ContactRef;
  readonly notes?: string;
  readonly done?: true;
}

export const TASKS: readonly StoryTask[] = [
  {
    ...{ title: 'Enviar orçamento dos 12 bancos', assignee: 'bruno', contact: 'jardim' },
    ...{ dueOn: TODAY, dueTime: '09:30', notes: 'Madeira tratada, com entrega em duas viagens.' },
  },
  {
    ...{ title: 'Conferir cadeira riscada do pedido 4821', assignee: 'ana', contact: 'rafael' },
    dueOn: YESTERDAY,
  },
  {
    ...{ title: 'Mandar o link de pagamento da mesa', assignee: 'ana', contact: 'marina' },
    ...{ dueOn: TODAY, dueTime: '11:00' },
  },
  {
    ...{ title: 'Incluir a montagem na proposta', assignee: 'carla', contact: 'tavares' },
    ...{ dueOn: TODAY, dueTime: '15:00', notes: 'Pedir o prazo à equipe de montagem.' },
  },
  { title: 'Revisar os preços da vitrine', assignee: 'ana', dueOn: TODAY },
  {
    ...{ title: 'Confirmar a entrega com a transportadora', assignee: 'ana', contact: 'marina' },
    ...{ dueOn: TOMORROW, dueTime: '09:00' },
  },
  {
    ...{ title: 'Ligar sobre o projeto do café', assignee: 'bruno', contact: 'larissa' },
    ...{ dueOn: '2026-03-12', dueTime: '14:30' },
  },
  { title: 'Renovar o catálogo de outono', assignee: 'carla', dueOn: '2026-03-17' },
];
