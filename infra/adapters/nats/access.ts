/**
 * How the NATS server is reached. Addresses may have credentials in their user part:
 * `nats://TOKEN@host:4222` or `nats://user:password@host:4222`, percent-encoded. The client library
 * drops that part, so it is read here. One set of credentials serves all addresses: the library
 * accepts no more.
 */
/** What the settings say about NATS. */
export interface NatsSettings {
  /** One address or several, comma-separated. */
  readonly natsUrl: string;
  /** Of the certificate authorities that sign the servers' certificates; PEM. */
  readonly natsCaFile?: string | undefined;
  /** Of a user: a token signed by its account, and the user's seed. */
  readonly natsCredsFile?: string | undefined;
  /** The first token of every subject. */
  readonly natsPrefix?: string | undefined;
}

/** Of a configuration, or of a part of one. */
export function natsSettings(of: NatsSettings): NatsSettings {
  const { natsUrl, natsCaFile, natsCredsFile, natsPrefix } = of;
  return { natsUrl, natsCaFile, natsCredsFile, natsPrefix };
}

/** In the form of the client library's options. */
export interface NatsAccess {
  readonly servers: string[];
  readonly token?: string;
  readonly user?: string;
  readonly pass?: string;
}

interface Address {
  readonly server: string;
  /** Still encoded; empty without credentials. */
  readonly credentials: string;
}

/**
 * @param natsUrl one address or several, comma-separated
 * @throws {TypeError} when addresses have different credentials
 * @throws {URIError} when credentials are not percent-encoded text
 */
export function natsAccess(natsUrl: string): NatsAccess {
  const addresses = parsed(natsUrl);
  const given = new Set(addresses.flatMap(({ credentials }) => credentials || []));
  if (given.size > 1) throw new TypeError('all NATS addresses take the same credentials');
  const servers = addresses.map(({ server }) => server);
  const [credentials] = given;
  return { servers, ...(credentials === undefined ? {} : identity(credentials)) };
}

/** The addresses without credentials, for messages: `nats-1:4222, nats-2:4222`. */
export function natsHosts(natsUrl: string): string {
  return parsed(natsUrl)
    .map(({ server }) => server.replace(/^nats:\/\//, ''))
    .join(', ');
}

function parsed(natsUrl: string): readonly Address[] {
  return natsUrl.split(',').map((url) => parse(url.trim()));
}

function parse(url: string): Address {
  const [, scheme = '', credentials = '', rest = url] =
    /^([a-z]+:\/\/)(?:([^/]*)@)?(.*)$/i.exec(url) ?? [];
  return { server: `${scheme}${rest}`, credentials };
}

function identity(credentials: string): Omit<NatsAccess, 'servers'> {
  const colon = credentials.indexOf(':');
  if (colon === -1) return { token: decodeURIComponent(credentials) };
  const [user, pass] = [credentials.slice(0, colon), credentials.slice(colon + 1)];
  return { user: decodeURIComponent(user), pass: decodeURIComponent(pass) };
}
