/** Faults for which a network accepts no request, and their Portuguese sentences for users. */

/** No usable answer came because of the connection, the access, or the network itself. */
export const NETWORK_FAULT_KINDS = [
  'dns',
  'refused',
  'tls',
  'timeout',
  'reset',
  'network',
  'unauthorized',
  'server',
  'starting',
] as const;
export type NetworkFaultKind = (typeof NETWORK_FAULT_KINDS)[number];

export interface NetworkFault {
  readonly kind: NetworkFaultKind;
  /** A Portuguese sentence without addresses, tokens and the network's own text. */
  readonly reason: string;
}

const REASONS: Readonly<Record<NetworkFaultKind, string>> = {
  dns: 'O endereço da rede do número não foi encontrado no DNS.',
  refused: 'A rede do número recusou a conexão.',
  tls: 'A conexão segura (TLS) com a rede do número falhou: confira o endereço e o certificado.',
  timeout: 'A rede do número não respondeu a tempo.',
  reset: 'A rede do número interrompeu a conexão antes de responder.',
  network: 'Não foi possível conectar à rede do número.',
  unauthorized: 'A rede do número recusou as credenciais do canal (401).',
  server: 'A rede do número respondeu com um erro interno (5xx).',
  starting: 'A sessão do número está iniciando.',
};

export function networkFault(kind: NetworkFaultKind, reason: string = REASONS[kind]): NetworkFault {
  return { kind, reason };
}

/** A status of 500 or more: the sentence contains it, because it helps the diagnosis. */
export function serverFault(status: number): NetworkFault {
  return networkFault('server', `A rede do número respondeu com um erro interno (${status}).`);
}
