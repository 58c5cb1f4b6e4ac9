// The peer's gateway: moleculer-web with a key check, its own rate limit and its body parser.
import { createHash } from 'node:crypto';
import { ServiceBroker } from 'moleculer';
import ApiService from 'moleculer-web';
import { brokerOptions, openDatabase } from './configuration.mjs';

const [mongodbUrl, port] = process.argv.slice(2);
const KEY_CACHE_MS = 60_000;
const database = await openDatabase(mongodbUrl);
const broker = new ServiceBroker(brokerOptions('peer-gateway'));
const { UnAuthorizedError } = ApiService.Errors;

const known = new Map();

async function findKey(token) {
  const cached = known.get(token);
  if (cached && cached.until > Date.now()) return cached.key;
  const digest = createHash('sha256').update(token).digest('hex');
  const key = await database.collection('keys').findOne({ digest, revokedAt: null });
  if (key) known.set(token, { key, until: Date.now() + KEY_CACHE_MS });
  return key;
}

broker.createService({
  name: 'api',
  mixins: [ApiService],
  settings: {
    ip: '127.0.0.1',
    port: Number(port),
    rateLimit: {
      window: 60_000,
      limit: 1e9,
      headers: true,
      key: (request) => request.headers.authorization ?? '',
    },
    routes: [
      {
        path: '/api/v1',
        authentication: true,
        bodyParsers: { json: { limit: '256KB' } },
        aliases: { 'POST /messages': 'messages.send' },
        mappingPolicy: 'restrict',
      },
    ],
  },
  methods: {
    async authenticate(context, _route, request) {
      const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
      const key = token === undefined ? null : await findKey(token);
      if (!key) throw new UnAuthorizedError(ApiService.Errors.ERR_INVALID_TOKEN, null);
      context.meta.orgId = key.orgId;
      return key;
    },
  },
});

await broker.start();
await broker.waitForServices('messages');
process.stdout.write('listening\n');
