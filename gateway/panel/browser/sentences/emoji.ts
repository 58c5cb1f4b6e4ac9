/** Texts of the choice of an emoji. */
export const EMOJI = {
  label: 'Emoji',
  more: 'Mais',
  search: 'Buscar emoji',
  results: 'Emoji encontrados',
  found: (count: number) => {
    if (count === 0) return 'Nenhum emoji com este nome.';
    return count === 1 ? '1 emoji encontrado' : `${count} emoji encontrados`;
  },
  groups: {
    smileys: 'Sorrisos e emoção',
    people: 'Pessoas e corpo',
    nature: 'Animais e natureza',
    food: 'Comida e bebida',
    travel: 'Viagens e lugares',
    activities: 'Atividades',
    objects: 'Objetos',
    symbols: 'Símbolos',
    flags: 'Bandeiras',
  },
} as const;
