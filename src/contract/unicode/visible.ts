/**
 * What is not drawn: white space, controls and formats, and what Unicode says to be ignored where it has no effect (Hangul
 * fillers too). The five at the end are blank by their own definition, which no property tells: an empty Braille cell, the
 * place of an object, a null notehead, and the blanks among hieroglyphs.
 */
const blank = String.raw`\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\ufffc\u{1d159}\u{13441}\u{13442}`;
/** Whatever else there is, but marks that need a letter to stand on. */
const visible = new RegExp(`[^${blank}\\p{Mn}\\p{Me}]`, 'u');
const blanks = new RegExp(`[${blank}]+`, 'gu');

/** Whether there is nothing to see of a text: the one measure for names, messages and reactions (contract §13). */
export const isBlank = (text: string): boolean => !visible.test(text);

/** Removes what is not drawn, within words too. */
export const withoutBlanks = (text: string): string => text.replace(blanks, '');

/** Whether a text has characters that turn the direction in which it, and what stands beside it, is shown. */
export const turnsDirection = (text: string): boolean => /\p{Bidi_Control}/u.test(text);

/**
 * Removes them: one in a name reverses all text after it, so that `photo\u202egpj.exe` looks like `photoexe.jpg`. For
 * names that come from elsewhere, and are shown outside of their original place.
 */
export const withoutDirections = (text: string): string => text.replace(/\p{Bidi_Control}/gu, '');

/** How many marks may follow one letter (UTS 39, section 5.4): more run over the lines above and below. */
export const maxMarks = 4;
const flood = new RegExp(`[\\p{Mn}\\p{Me}]{${maxMarks + 1}}`, 'u');

/** Whether a letter has more than 4 marks, however it is composed. */
export const hasMarkFlood = (text: string): boolean => flood.test(text.normalize('NFD'));

const excess = new RegExp(`([\\p{Mn}\\p{Me}]{${maxMarks}})[\\p{Mn}\\p{Me}]+`, 'gu');

/** Removes what is more than 4 marks on a letter. */
export const withoutFloods = (text: string): string =>
  hasMarkFlood(text) ? text.normalize('NFD').replace(excess, '$1').normalize('NFC') : text;
