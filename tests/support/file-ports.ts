/**
 * Ports of the tests' servers of files and of what flows call. The services of a run may call them on the loopback, though a
 * server starts after its service. They are below the ports that the system assigns.
 */
const FIRST = 18_100;
/** More than servers at once of several runs on one machine. */
const COUNT = 32;

const FILE_PORTS = Array.from({ length: COUNT }, (_, at) => FIRST + at);

/** The setting that lets a service fetch their files. */
export const FILE_PORTS_ALLOWED = {
  PRIVATE_NETWORK_ALLOW: FILE_PORTS.map((port) => `127.0.0.1:${port}`).join(),
} as const;

/**
 * Opens a server at one that is free, from any of them on: a port of a server that has just gone is
 * rarely the next one's.
 */
export async function onFilePort<T>(open: (place: { readonly port: number }) => Promise<T>) {
  const at = Math.floor(Math.random() * COUNT);
  for (const port of [...FILE_PORTS.slice(at), ...FILE_PORTS.slice(0, at)]) {
    try {
      return await open({ port });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    }
  }
  throw new Error('every port is taken');
}
