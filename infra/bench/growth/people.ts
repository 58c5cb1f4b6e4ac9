/** Made-up people, the same at every run: names as skewed as real ones, and phones of their own. */

const FIRST =
  'Ana Maria João José Pedro Paulo Lucas Luíza Carla Marcos Júlia Bruno Rafael Camila Fernanda ' +
  'Thiago Gabriel Larissa Beatriz Felipe Rodrigo Amanda Daniel Letícia Gustavo Mariana Eduardo ' +
  'Aline Vinícius Patrícia Antônio Sebastião Raimunda Otávio Heloísa Davi Lívia Enzo Valentina';
const LAST =
  'Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa Ribeiro Martins ' +
  'Carvalho Almeida Lopes Soares Fernandes Vieira Barbosa Rocha Dias Nascimento Andrade Moreira ' +
  'Nunes Marques Machado Mendes Freitas Cardoso Ramos Gonçalves Santana Teixeira Araújo Quaresma';
const HOSTS = ['gmail.com', 'hotmail.com', 'uol.com.br', 'empresa.com.br', 'escola.edu.br'];
/** Area codes, and 8 digits: no two people of one number share a phone. */
const AREAS = 64;
const NUMBERS = 100_000_000;
/** Coprime to NUMBERS: walks through all of them. */
const STRIDE = 61_803_399;

export interface Person {
  readonly phone: string;
  readonly name: string;
  readonly email: string;
}

/** Uniform in [0, 1), by the number alone. */
export function draw(n: number): number {
  let mixed = (n + 0x6d2b79f5) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 15), 1 | mixed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** The first names of the list are the most frequent. */
function among(words: readonly string[], n: number): string {
  return words[Math.floor(words.length * draw(n) ** 1.5)] ?? '';
}

export function person(n: number): Person {
  const first = among(FIRST.split(' '), 3 * n);
  const last = among(LAST.split(' '), 3 * n + 1);
  const middle = among(LAST.split(' '), 3 * n + 2);
  const number = (BigInt(n) * BigInt(STRIDE)) % BigInt(NUMBERS);
  const phone = `55${11 + (n % AREAS)}9${String(number).padStart(8, '0')}`;
  const address = `${plain(first)}.${plain(last)}${n % 9973}`;
  const host = HOSTS[Math.floor(draw(7 * n) * HOSTS.length)] ?? '';
  return { phone, name: `${first} ${middle} ${last}`, email: `${address}@${host}` };
}

/** Without accents, lower case. */
export function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
