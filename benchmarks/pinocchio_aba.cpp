// Pinocchio's articulated-body algorithm in a C++ loop, without Python around it.
//
// Reads a tree (joints, gravity, then one line a joint) and states (count, then q and v of each), writes the
// accelerations of every state, then answers lines "local N" and "world N" (the frames Pinocchio computes in) with the
// CPU seconds of one call, from N passes over all states. The instantiation called is the one in the shipped library.

#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;
using Ref = Eigen::Ref<const Vector>;

template <typename Matrix> Matrix read() {
    Matrix found;
    for (int i = 0; i < found.rows(); ++i)
        for (int j = 0; j < found.cols(); ++j) std::cin >> found(i, j);
    return found;
}

static double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

static void add_joint(pin::Model &model, int index) {
    std::string kind;
    int parent;
    double mass;
    std::cin >> kind >> parent;
    const auto axis = read<Eigen::Vector3d>();
    const auto rotation = read<Eigen::Matrix3d>();
    const auto translation = read<Eigen::Vector3d>();
    std::cin >> mass;
    const auto centre = read<Eigen::Vector3d>();
    const auto inertia = read<Eigen::Matrix3d>();
    const auto name = "joint_" + std::to_string(index);
    const auto add = [&](const pin::JointModel &joint) {
        const auto id = model.addJoint(parent, joint, pin::SE3(rotation, translation), name);
        model.appendBodyToJoint(id, pin::Inertia(mass, centre, inertia), pin::SE3::Identity());
    };
    if (kind == "free") add(pin::JointModelFreeFlyer());
    else if (axis == Eigen::Vector3d::UnitX()) add(pin::JointModelRX());
    else if (axis == Eigen::Vector3d::UnitY()) add(pin::JointModelRY());
    else if (axis == Eigen::Vector3d::UnitZ()) add(pin::JointModelRZ());
    else add(pin::JointModelRevoluteUnaligned(axis));
}

int main() {
    int joints, states, passes;
    pin::Model model;
    std::cin >> joints;
    model.gravity.linear() = read<Eigen::Vector3d>();
    for (int i = 0; i < joints; ++i) add_joint(model, i);
    pin::Data data(model);

    std::vector<Vector> q, v;
    std::cin >> states;
    for (int s = 0; s < states; ++s) {
        q.emplace_back(model.nq);
        v.emplace_back(model.nv);
        for (double &x : q.back()) std::cin >> x;
        for (double &x : v.back()) std::cin >> x;
    }
    const Vector tau = Vector::Zero(model.nv);

    std::cout.precision(17);
    for (int s = 0; s < states; ++s)
        std::cout << pin::aba(model, data, Ref(q[s]), Ref(v[s]), Ref(tau)).transpose() << '\n';
    std::cout.flush();

    std::string frames;
    while (std::cin >> frames >> passes) {
        const auto convention = frames == "local" ? pin::Convention::LOCAL : pin::Convention::WORLD;
        double sum = 0.0;
        const double start = cpu_seconds();
        for (int pass = 0; pass < passes; ++pass)
            for (int s = 0; s < states; ++s)
                sum += pin::aba(model, data, Ref(q[s]), Ref(v[s]), Ref(tau), convention)[0];
        const double seconds = (cpu_seconds() - start) / passes / states;
        std::cout << seconds << ' ' << sum << std::endl;  // the sum keeps the calls from being optimised away
    }
}
