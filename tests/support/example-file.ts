/** Greets, and waits an hour for an answer. */
export const WELCOME = {
  ref: 'welcome',
  name: 'Boas-vindas',
  enabled: true,
  channel: null,
  isMain: false,
  triggers: [{ on: 'tag', tag: 'vip' }],
  steps: [
    { id: 'hi', do: 'send', text: 'Olá {{contact.name}}!', next: 'ask' },
    { id: 'ask', do: 'wait', timeout: '1h', saveAs: 'answer', next: 'done', onTimeout: 'done' },
    { id: 'done', do: 'end' },
  ],
};

export const CLOUD = {
  baseUrl: 'sandbox',
  phoneNumberId: '1001',
  accessToken: 't',
  appSecret: 's',
  verifyToken: 'v',
};

export const MAIN = {
  ref: 'main',
  label: 'Atendimento',
  provider: 'cloud',
  phone: '+55 11 4000-1000',
  enabled: true,
  network: CLOUD,
};

export const SHOP = {
  ref: 'shop',
  label: 'Vendas',
  provider: 'web',
  phone: '+55 11 4000-2000',
  enabled: true,
  network: { baseUrl: 'sandbox', session: 'shop', apiKey: 'k', webhookSecret: 'w' },
};

/** What the examples of a file and of an organization have alike. */
export const COMMON = {
  ref: 'loja',
  name: 'Loja Exemplo',
  timeZone: 'America/Sao_Paulo',
  country: 'BR',
  limits: { perKey: 120, perOrg: 600 },
  members: [{ ref: 'ana', name: 'Ana Souza', email: 'ana@example.com' }],
  channels: [MAIN, SHOP],
  tags: ['vip'],
  flows: [WELCOME],
};

/** A provisioning file with every kind of entry (C12.13); `logo.png` lies beside it. */
export const EXAMPLE = {
  orgs: [
    {
      ...COMMON,
      keys: [
        { ref: 'erp', name: 'ERP', scope: 'account' },
        { ref: 'shop-key', name: 'Vendas', scope: 'channel', channel: 'shop' },
      ],
      files: [{ ref: 'logo', name: 'logo.png', path: './logo.png', mimeType: 'image/png' }],
      subscriptions: [{ ref: 'crm', url: 'http://127.0.0.1:9/hook', events: ['*'] }],
    },
  ],
};
