/**
 * Addresses of NATS servers with the credentials in their user part: `nats://TOKEN@host:4222` or
 * `nats://user:password@host:4222`, percent-encoded. The client library drops that part, so it is
 * read here. One set of credentials serves all addresses: the library accepts no more.
 */

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
  const addresses = natsUrl.split(',').map((url) => parse(url.trim()));
  const given = new Set(addresses.flatMap(({ credentials }) => credentials || []));
  if (given.size > 1) throw new TypeError('all NATS addresses take the same credentials');
  const servers = addresses.map(({ server }) => server);
  const [credentials] = given;
  return { servers, ...(credentials === undefined ? {} : identity(credentials)) };
}

/** The addresses without credentials, for messages: `nats-1:4222, nats-2:4222`. */
export function natsHosts(natsUrl: string): string {
  return natsAccess(natsUrl)
    .servers.map((server) => server.replace(/^nats:\/\//, ''))
    .join(', ');
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
