/** The text of a field by its name, without blanks around it; of an empty one `undefined`. */
export type FormTexts = (name: string) => string | undefined;

/** What reads the texts of a form. */
export function textsOf(form: FormData): FormTexts {
  return (name) => (form.get(name) as string | null)?.trim() || undefined;
}
