/**
 * Removes direction controls from a text: one in a name reverses all text after it, so that `photo\u202egpj.exe` looks
 * like `photoexe.jpg`. For names that are shown outside of their original place.
 */
export const withoutDirections = (text: string): string => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
