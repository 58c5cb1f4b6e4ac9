/** The parts of a MongoDB address that are read beside the driver. */

/** Hosts and database; the standard's URL does not know several hosts. */
const ADDRESS = /^[^:]+:\/\/(?:[^/@]*@)?([^/?]*)(?:\/([^?]*))?/;

/** The hosts as they are written, and the database that the address names, if it names one. */
export function partsOf(mongodbUrl: string): {
  readonly hosts: string;
  readonly database: string | null;
} {
  const [, hosts = '', named] = ADDRESS.exec(mongodbUrl) ?? [];
  return { hosts, database: named ? decodeURIComponent(named) : null };
}

/** Without credentials and options: `db-1:27017,db-2:27017`, or the path of a socket. */
export function mongoHosts(mongodbUrl: string): string {
  const { hosts } = partsOf(mongodbUrl);
  return hosts.endsWith('.sock') ? decodeURIComponent(hosts) : hosts;
}
