/** Marks what the specification leaves open. */
export function Choice() {
  return (
    <span class="choice" title="The specification is silent here; this is the emulator's choice.">
      {' '}
      emulator’s choice
    </span>
  );
}
