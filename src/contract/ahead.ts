/** How far ahead people may plan (contract §7, Later). */
export const mostAheadDays = 366;
