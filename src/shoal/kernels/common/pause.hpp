// A look, now and then, at whether anybody still waits for what a long loop works out.
#pragma once

#include <chrono>
#include <functional>

namespace shoal {

// Called as often as one likes, it looks twenty times a second at most. The look may throw, and that ends the loop.
class Pause {
  public:
    Pause() = default;
    explicit Pause(std::function<void()> look) : look_(std::move(look)) {}

    void operator()() {
        if (!look_ || std::chrono::steady_clock::now() - last_ < std::chrono::milliseconds(50)) return;
        look_();
        last_ = std::chrono::steady_clock::now();
    }

  private:
    std::function<void()> look_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace shoal
