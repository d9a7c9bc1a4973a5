/** Whose the effective choice for a topic is. `same`: it equals the default, so the user may have made it or not. */
export function whoseChoice({
  status,
  default_status: standard,
}: {
  status: string;
  default_status: string;
}): 'user' | 'required' | 'same' {
  if (status === 'REQUIRED') return 'required';
  return status !== standard ? 'user' : 'same';
}
