/** The files that are mutated, and the share of their mutations that tests have to notice. */
export const SCORE_MIN = 85;

export const TARGETS: readonly RegExp[] = [
  /^actors\/domain\//,
  /^actors\/queries\/page\.ts$/,
  /^shared\/(?:time\/(?:local-time|calendar)|text\/phone)\.ts$/,
];
