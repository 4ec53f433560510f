import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Minutes and seconds until a moment; 0:00 afterwards. Not read out each second. */
export function Countdown({ until, label }: { until: number; label: string }) {
  const now = useSignal(Date.now());
  useEffect(() => {
    now.value = Date.now();
    const timer = setInterval(() => {
      now.value = Date.now();
    }, 1_000);
    return () => clearInterval(timer);
  }, [until]);
  const seconds = Math.max(0, Math.ceil((until - now.value) / 1_000));
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return (
    <p class="countdown">
      {label} <time role="timer">{text}</time>
    </p>
  );
}
