/**
 * A text without controls of direction: one in a name turns round all that follows it, so that `photo\u202egpj.exe` looks like
 * `photoexe.jpg`. For names that leave the place where they were given.
 */
export const withoutDirections = (text: string): string => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
