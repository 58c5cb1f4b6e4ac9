/** The flows of `steps.test.ts`: each uses a kind of step. */

export const END = { id: 'end', do: 'end' };
export const say = (id: string, text: string, next = 'end') => ({ id, do: 'send', text, next });

/** Calls the other system and says what it has answered. */
function calling(url: string): readonly object[] {
  return [
    {
      id: 'call',
      do: 'http',
      saveAs: 'shop',
      next: 'show',
      onError: 'sorry',
      url: `${url}?phone={{contact.phone}}`,
      headers: { Authorization: 'Bearer {{contact.fields.token}}' },
      body: '{"name":{{contact.name | json}}}',
    },
    {
      id: 'show',
      do: 'choose',
      cases: [{ when: { answer: 'shop.order.total', above: 41 }, next: 'rich' }],
      else: 'end',
    },
    say('rich', '{{answers.shop.order.items[0]}} {{answers.shop.order.total}}'),
    say('sorry', 'Sem resposta.'),
    END,
  ];
}

const FLOWS: readonly object[] = [
  {
    ref: 'contact',
    name: 'Contato',
    steps: [
      { id: 'set', do: 'set', fields: { origem: '{{org.name}}' }, next: 'tag' },
      { id: 'tag', do: 'tag', tags: ['Novo', 'Lead'], next: 'untag' },
      { id: 'untag', do: 'untag', tags: ['antigo'], next: 'opt' },
      { id: 'opt', do: 'opt', optIn: true, next: 'c' },
      {
        id: 'c',
        do: 'choose',
        cases: [
          {
            when: {
              all: [
                { tag: 'lead' },
                { not: { tag: 'antigo' } },
                { optIn: true },
                { field: 'origem', starts: 'loja' },
                { weekday: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
                { any: [{ hours: '00:00-12:00' }, { hours: '12:00-00:00' }] },
              ],
            },
            next: 'yes',
          },
        ],
        else: 'end',
      },
      say('yes', 'tudo certo'),
      END,
    ],
  },
  {
    ref: 'out',
    name: 'Sair',
    steps: [say('bye', 'Até mais.', 'opt'), { id: 'opt', do: 'opt', optIn: false }],
  },
  {
    ref: 'crm',
    name: 'CRM',
    steps: [
      { id: 'deal', do: 'deal', action: 'create', title: 'Plano', valueCents: 990, next: 'move' },
      { id: 'move', do: 'deal', action: 'move', stage: 'proposta', next: 'task' },
      {
        id: 'task',
        do: 'task',
        title: 'Ligar para {{contact.name}}',
        assignee: 'ana',
        dueInDays: 1,
        dueTime: '09:30',
        next: 'close',
      },
      { id: 'close', do: 'deal', action: 'close', status: 'won', next: 'say' },
      say('say', 'pronto'),
      END,
    ],
  },
  {
    ref: 'hand',
    name: 'Triagem',
    steps: [
      { id: 'assign', do: 'assign', member: 'ana', next: 'go' },
      { id: 'go', do: 'handoff', member: 'bia', note: 'Quer {{contact.name}}', pause: '2h' },
    ],
  },
  {
    ref: 'first',
    name: 'Um',
    steps: [say('a', 'um', 'go'), { id: 'go', do: 'start', flow: 'second' }],
  },
  { ref: 'second', name: 'Dois', steps: [say('a', 'dois'), END] },
  {
    ref: 'ask',
    name: 'Pergunta',
    steps: [
      say('q', 'Nome?', 'w'),
      { id: 'w', do: 'wait', saveAs: 'name', next: 'r' },
      say('r', 'Oi {{answers.name}}'),
      END,
    ],
  },
  {
    ref: 'costly',
    name: 'Cara',
    steps: [say('a', '{% for i in (1..9999999) %}x{% endfor %}', 'b'), say('b', 'nunca'), END],
  },
  {
    ref: 'hello',
    name: 'Olá',
    triggers: [{ on: 'first-message' }],
    steps: [say('a', 'Bem-vindo'), END],
  },
];

/** @param port of the other system */
export function flowsOf(port: number): readonly object[] {
  const at = (path: string) => calling(`http://127.0.0.1:${port}/${path}`);
  return [
    ...FLOWS,
    { ref: 'call', name: 'Chamada', steps: at('ok') },
    { ref: 'broken', name: 'Quebrada', steps: at('broken') },
  ];
}
